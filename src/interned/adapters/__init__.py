"""Adapters: one module for one third-party library, imported only by the user."""

"""Rensai: one self-hosted home for serial fiction, novels and comics."""

__version__ = "0.1.0"

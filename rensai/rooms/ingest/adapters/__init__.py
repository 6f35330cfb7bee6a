"""The formats that crawlers speak."""

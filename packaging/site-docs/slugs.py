"""Anchors as GitHub makes them, which the links of the pages use."""

import re


def github(text, separator):
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", separator)

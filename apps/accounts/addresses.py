"""Where a request comes from."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest

# Whoever has one IPv6 address has the other 2^64 of its network as well.
IPV6_PREFIX = 64


def address_of(request: HttpRequest) -> str:
    """The address that the outermost proxy of ours was asked from; of IPv6 the network.

    Each proxy appends the address it was asked from to X-Forwarded-For. What stands further left
    comes from outside and may be made up.
    """
    chain = [request.META.get("REMOTE_ADDR", "")]
    chain += reversed(request.headers.get("X-Forwarded-For", "").split(","))
    seen = [address.strip() for address in chain if address.strip()]
    return _counted_as(seen[min(settings.TRUSTED_PROXIES, len(seen) - 1)]) if seen else ""


def _counted_as(address: str) -> str:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, ipaddress.IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))

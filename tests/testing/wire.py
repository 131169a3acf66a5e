"""Bytes on a socket, past every client library."""

import asyncio
import json


def chat(**fields):
    body = {"model": "judge", "messages": [{"role": "user", "content": "Hello"}], **fields}
    return request("POST", "/v1/chat/completions", json.dumps(body).encode())


def request(method, path, body=b"", head=""):
    length = f"content-length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\nhost: x\r\n{length}{head}\r\n".encode() + body


async def exchange(port, *packets, answers=1, pause=0.0):
    """Send the packets one after another; the status and body of each answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for packet in packets:
            writer.write(packet)
            await writer.drain()
            await asyncio.sleep(pause)
        return [await _answer(reader) for _ in range(answers)]
    finally:
        writer.close()


def talk(port, *packets, **options):
    return asyncio.run(exchange(port, *packets, **options))


async def _answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length: ")[1].split("\r\n")[0])
    return int(head.split(" ")[1]), await reader.readexactly(length)

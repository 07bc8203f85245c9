"""Ranks agree that they make the same call, before any of them sends a message."""

import hashlib

from ._cornerturn import ArgumentError, ArgumentTypeError, Error, OutOfMemoryError

# A value that is larger than all others: no rank, no text.
_NONE = (1 << 63) - 1

# A message travels as its kind and this number of integers of seven bytes each.
_WORDS, _BYTES = 64, 7

# The kinds of exceptions, and as which one the ranks raise each.
_KINDS = [(ValueError, ArgumentError), (TypeError, ArgumentTypeError), (MemoryError, OutOfMemoryError), (BaseException, Error)]


def _digest(value):
    return int.from_bytes(hashlib.blake2b(repr(value).encode(), digest_size=8).digest(), "big") >> 1


def _words_of(failed):
    text = (str(failed) or type(failed).__name__).encode()[:_WORDS * _BYTES].ljust(_WORDS * _BYTES, b"\0")
    kind = next(number for number, (caught, _) in enumerate(_KINDS) if isinstance(failed, caught))
    return [kind, *(int.from_bytes(text[at:at + _BYTES], "big") for at in range(0, len(text), _BYTES))]


def agree(ranks, call, facts, prepare, names={}):
    """Returns what prepare() returns, if it raises nothing on any rank, and if neither the function nor a fact differs between ranks.
    Otherwise raises the same error on all ranks, except that a rank which is interrupted raises KeyboardInterrupt or SystemExit. It aborts
    if that happens while the ranks agree, because the others then wait for it, now or in the exchange.

    `call` is the name of the function. `facts` is a dict that prepare may complete; `names` has the names that some of its keys have in
    messages. All functions pass as many facts, so that ranks which call different ones can still compare.
    """
    ready = failed = None
    try:
        ready = prepare()
    except BaseException as error:
        failed = error
    said = {"the function that they call": call, **{names.get(name, name): value for name, value in facts.items()}}
    try:
        _expect_agreement(ranks, said, failed)
    except BaseException as error:
        if not isinstance(error, Exception) and error is not failed:
            ranks.abort()
        raise
    finally:
        # The traceback refers to this frame, a cycle which would keep the group and the array until a garbage collection.
        del failed
    return ready


def _expect_agreement(ranks, facts, failed):
    """Raises the same error on all ranks if one of them failed, or if a fact differs between them. `failed` is the exception of this rank,
    or None."""
    digests = [_digest(value) for value in facts.values()]
    negative = [-digest for digest in digests]  # the largest digest is the smallest of the negative ones
    first, *smallest = ranks.all_min([_NONE if failed is None else ranks.rank, *digests, *negative])
    if first != _NONE:
        is_first = failed is not None and first == ranks.rank
        kind, *words = ranks.all_min(_words_of(failed) if is_first else [_NONE] * (1 + _WORDS))
        if failed is not None and not isinstance(failed, Exception):
            raise failed
        text = b"".join(word.to_bytes(_BYTES, "big") for word in words).rstrip(b"\0").decode(errors="replace")
        raise _KINDS[kind][1](f"on rank {first}: {text}") from failed
    for name, low, high in zip(facts, smallest, smallest[len(digests):]):
        if low != -high:
            raise ArgumentError(f"{name} differs between ranks; it must be the same on all ranks")

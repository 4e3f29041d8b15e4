"""Constants as data: canonical JSON beside raw bytes, of types that are registered.

Threat model: a document is hostile until it is decoded, and so is the text that then
uses the constants. Decoding looks things up and makes data of them. It calls nothing
that a document names, unpickles nothing, and imports no module but those that the
caller allows and the registry's own (DTensor's placements, numpy).

Which callables a document may refer to is the question that matters, for the text calls
them (`__vllm_consts__[0]("rm -r")`). The rule:

- A function or class as what it is: the exact name is listed (`listed.CALLABLES`,
  reviewed; the checker's own paths), or the caller allows the name or its module.
  Being imported is not enough.
- An operator: what the checker would accept in the text.
- The class of data (enum members, namedtuples, dataclasses, subclasses of Python's own
  types): its module is imported already and it is inert, so that no operator and no
  listed method reaches code of it; or the caller allows it.
- `operator.attrgetter` and `methodcaller`: names on the lists, or that the caller
  allows. `getattr` and `operator.call` take a name or a callable from the text, so
  they are not listed; a caller may allow them by name.

Documents are canonical: sorted sets, one spelling for each number, objects in the order
in which they are met, no defaults. A document in any other form is refused.
"""

from __future__ import annotations

from astgen.store.codec.document import dumps, loads
from astgen.store.codec.kinds import register_constant
from astgen.store.codec.policy import DecodePolicy, MeshReference
from astgen.store.codec.portable import Portability, check_portable
from astgen.store.codec.values import Encoded, decode, encode

__all__ = [
    "DecodePolicy",
    "Encoded",
    "MeshReference",
    "Portability",
    "check_portable",
    "decode",
    "dumps",
    "encode",
    "loads",
    "register_constant",
]

"""A person's words in Markdown, so that they neither end the quotation nor look like ours."""

import re

#: What would begin a heading, list, quotation, rule, table or definition at the head of a line.
_BLOCK_MARK = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+*>|=_~]|\d{1,9}(?=[.)])|\[(?=[^\]\n]{1,200}\]:))")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")


def _plain(line: str) -> str:
    bare = line.strip()
    if bare[:1].isdigit():
        return re.sub(r"^(\d{1,9})([.)])", r"\1\\\2", bare)
    return f"\\{bare}" if _BLOCK_MARK.match(bare) else bare


def quote(text: str) -> str:
    """``text`` as a block quotation, line by line, its code blocks kept and closed."""
    quoted: list[str] = []
    fence = ""
    for line in text.strip("\n").split("\n"):
        if fence:
            quoted.append(f"> {line}")
            inner = line.strip()
            if line[:4].strip() and inner.startswith(fence) and not inner.strip(fence[0]):
                fence = ""
        elif opened := _FENCE.match(line):
            fence = opened[1]
            quoted.append(f"> {line}")
        else:
            quoted.append(f"> {_plain(line)}".rstrip())
    if fence:
        quoted.append(f"> {fence}")
    return "\n".join(quoted)


def inline(text: str) -> str:
    """``text`` in one line that cannot begin a block or open code."""
    return _plain(" ".join(text.split()).replace("`", "'"))

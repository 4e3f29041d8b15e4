"""`astgen rule`: what a rule is about, and why; or a table of all."""

from __future__ import annotations

import textwrap

import click
from click.shell_completion import CompletionItem

from astgen.check.finding import PROFILES, Example, Rule, Sample
from astgen.cli.console import table
from astgen.lint.rules import ALL_RULES
from astgen.lint.select import matches, validate

__all__ = ["rule_command"]

_WIDTH = 80
_MOST_LINES = 30


class _RuleName(click.ParamType):  # type: ignore[type-arg]
    """A code or a name of a rule, or a prefix of codes."""

    name = "rule"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [
            CompletionItem(name, help=rule.summary)
            for rule in ALL_RULES.values()
            for name in (rule.code, rule.name)
            if name.lower().startswith(incomplete.lower()) and incomplete
        ]


@click.command("rule", short_help="Explain a rule of the linter, or list all.")
@click.argument("rules", nargs=-1, type=_RuleName(), metavar="[RULE]...")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def rule_command(rules: tuple[str, ...], as_json: bool) -> None:
    """Explain rules of the linter, with examples.

    RULE is a code (AG101), a name (undefined-name), a prefix (AG2) or ALL. Without
    one, all rules are listed.
    """
    prefixes = validate(rules, "rule") if rules else ("",)
    chosen = [rule for rule in ALL_RULES.values() if matches(rule.code, prefixes)]
    if as_json:
        import json

        click.echo(json.dumps([_record(rule) for rule in chosen], indent=2))
    elif not rules:
        click.echo(_listing(chosen))
        click.echo("\nastgen rule CODE explains one of them.")
    else:
        click.echo("\n\n".join(_explained(rule) for rule in chosen))


def _explained(rule: Rule) -> str:
    """A page about a rule: what, why, and examples."""
    facts: list[str] = [rule.severity]
    if set(rule.profiles) != set(PROFILES):
        facts.append("in code of " + " and ".join(rule.profiles))
    if rule.fixable:
        facts.append("--fix mends it")
    if not rule.default:
        facts.append("off unless selected")
    if rule.always:
        facts.append("on unless ignored by its code")
    title = f"{rule.code} {rule.name}"
    parts = [
        click.style(title, bold=True),
        f"{rule.summary[:1].upper()}{rule.summary[1:]} ({'; '.join(facts)}).",
        textwrap.fill(rule.reason, _WIDTH),
        *_examples("Wrong", rule.bad),
        *_examples("Right", rule.good),
    ]
    return "\n\n".join(parts)


def _examples(title: str, examples: tuple[Example, ...]) -> list[str]:
    parts = []
    for example in examples:
        shown = example.shown if isinstance(example, Sample) else example
        name = f", in a file {example.name}" if isinstance(example, Sample) else ""
        lines = [
            line if line.isprintable() else ascii(line)[1:-1]
            for line in shown.split("\n")
        ]
        if len(lines) > _MOST_LINES:
            left = len(lines) - _MOST_LINES
            lines[_MOST_LINES:] = [f"... and {left} more lines"]
        body = textwrap.indent("\n".join(lines).rstrip() or "(empty)", "    ")
        parts.append(f"{title}{name}:\n\n{body}")
    return parts


def _listing(rules: list[Rule]) -> str:
    rows = [["code", "severity", "fix", "name", "what it finds"]]
    for rule in rules:
        fix = "*" if rule.fixable else ""
        rows.append([rule.code, rule.severity, fix, rule.name, rule.summary])
    return table(rows, left=range(5))


def _record(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "reason": rule.reason,
        "severity": rule.severity,
        "profiles": list(rule.profiles),
        "fixable": rule.fixable,
        "default": rule.default,
        "always": rule.always,
    }

"""What each tool answers: the conventions that the package notes for it. Nothing else is taken from the package, and no code."""

from exact.settings import CONVENTIONS, defaults

try:  # from the top, where they are offered
    from irmetrics_nb import PRESETS, Conventions
except ImportError:
    from irmetrics_nb.evaluation.conventions import Conventions
    from irmetrics_nb.evaluation.presets import PRESETS

def answers(conventions, measure):
    "{question: answer} for a measure; what is noted for it alone wins."
    everywhere = {question: getattr(conventions, question) for question in CONVENTIONS}
    alone = {name: answer for kind, name, answer in conventions.measures if kind == measure}
    return everywhere | alone


def tools(measure):
    "{tool: what it answers otherwise than the defaults}, of those that have the measure."
    usual, found = defaults(measure), {}
    for name, preset in PRESETS.items():
        if measure in preset.kinds.split():
            said = answers(Conventions(**preset.options), measure)
            found[name] = {question: answer for question, answer in said.items() if answer != usual[question]}
    return found

// The search's weights: Sphinx's own, but a name that is exactly the one searched for comes first, of several a function or a class.
var Scorer = {
  objNameMatch: 100,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, anchor, description, score]) => score + (/^(?:Python function|Python class|Java class)/.test(description ?? "") ? 10 : 0),
};

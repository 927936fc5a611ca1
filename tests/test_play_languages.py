"""The rankings and drills in Chinese: every phrase of the script has its translation, a page in Chinese shows no English word, and a
page in English neither loads nor needs the table."""
import json
import re
import subprocess
from functools import cache

import pytest
from project import NBS
from test_browser import CONTRAST, WIDE
from test_drills import TOPICS
from test_play import PLAY, node
from test_play_browser import MODEL, example, page_of
from test_report_browser import SMALL

from irmetrics_nb import parse
from irmetrics_nb.widget import play

TABLE = NBS / "play/play.zh.js"
LOADER = (NBS / "play/play.html").read_text(encoding="utf-8")
HAN = "\u4e00-\u9fff"
NAMES = """AP MAP CG DCG IDCG nDCG RR MRR ERR RBP AUC GAUC ROC TPR FPR TP FP FN TN P R F Success
    g i k p r A B X Y Z log ln min nan alpha StRecall IA lg""".split()
PARAMETER = re.compile(r"\w+=(?:'[^']*'|[\w.]+)")


@cache
def phrases():
    "The Chinese phrase of each English one."
    return json.loads(TABLE.read_text(encoding="utf-8").partition("globalThis.playPhrases = ")[2].rstrip(";\n"))


def said(text):
    "The phrases of a script: the texts behind `say`, their values numbered."
    for start in re.finditer(r"\bsay`", re.sub("^ *//.*$", "", text, flags=re.MULTILINE)):
        yield phrase_at(start.string, start.end())


def phrase_at(text, i):
    phrase, values = "", 0
    while text[i] != "`":
        if text.startswith("${", i):
            i, phrase, values = after_brackets(text, i + 2), f"{phrase}{{{values}}}", values + 1
        else:
            i, phrase = i + 1, phrase + text[i]
    return phrase


def after_brackets(text, i):
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        i += 1
    return i


def english(text):
    "The Latin words of a text that are no name of a measure, a parameter or a quantity."
    return [word for word in re.findall("[A-Za-z]+", PARAMETER.sub("", text)) if word not in NAMES]


def misspaced(text):
    "Where Chinese and Latin letters or digits touch, or a blank stands beside a full-width sign."
    return re.findall(rf"[{HAN}][A-Za-z0-9]|[A-Za-z0-9][{HAN}]|[，。：；？、（）“”] | [，。：；？、（）“”]|[{HAN}][,;:?!]", text)


# ---- the table ----


def test_every_phrase_of_the_script_has_a_translation_and_every_translation_is_used():
    found = set(said(PLAY.read_text(encoding="utf-8")))
    assert found == set(phrases()) and len(found) > 300


def test_a_translation_has_the_values_of_its_phrase_and_the_signs_of_its_language():
    for phrase, chinese in phrases().items():
        values = [sorted(re.findall(r"\{\d+\}", text)) for text in (phrase, chinese)]
        assert values[0] == values[1], phrase
        bare = re.sub(r"\{\d+\}", "", chinese)
        assert english(bare) == [] and not re.search(f"[{HAN}][,;:?!]", bare), chinese
        assert not re.search(r"[a-z]{3}", phrase) or re.search(f"[{HAN}]", chinese), phrase


def test_a_phrase_that_is_written_in_the_script_as_plain_text_is_found():
    text = PLAY.read_text(encoding="utf-8")
    script = text[: text.index("const STYLE = `")] + text[text.index("// ---- the ways in ----") : text.index("const DRILL_STYLE")]
    code = "\n".join(line for line in script.splitlines() if not re.search(r"^ *//|Error\(|refuse\(|choices = Array|const UP|const SWAP", line))
    plain = re.findall(r"(?<!say)['`]([A-Z][a-z]+ [a-z][^'`]*)['`]", code) + re.findall(r": '([a-z]+ [a-z ]+)'", code)
    assert plain == []


# ---- drills ----

DRILLS = """
    const {topics, deal, mark, demonstrate, drillWords} = await import(%s);
    const told = [];
    for (const topic of topics) for (const level of [1, 2, 3]) for (let seed = 1; seed <= 60; seed++) {
      const task = deal(topic, level, seed, 1), {slips, queries} = task;
      const texts = [drillWords.queries[task.kind](task), ...task.choices ?? [], ...demonstrate(task).map(step => step.text)];
      texts.push(mark(task, 'x').text, mark(task, '0.12').text, mark(task, `${task.answer}`).text, ...slips.map(slip => mark(task, `${slip.value}`).text));
      texts.push(...queries.map((query, j) => drillWords.query(task, j)), ...queries.flatMap(({missed}) => missed?.length ? drillWords.missed(missed, task.scale) : []));
      told.push({answer: task.answer, values: slips.map(slip => slip.value), texts});
    }
    console.log(JSON.stringify(told));"""


@cache
def drills(table=False):
    "What is said in 1,260 tasks, in English or with the table."
    code = f"await import({json.dumps(TABLE.as_uri())});" if table else ""
    done = subprocess.run([node(), "--input-type=module", "--eval", code + DRILLS % json.dumps(PLAY.as_uri())], capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_all_texts_of_a_chinese_drill_are_chinese():
    texts = {text for task in drills(table=True) for text in task["texts"]}
    assert len(texts) > 4000
    assert [text for text in texts if english(text) or misspaced(text)] == []


def test_chinese_drills_equal_english_drills_in_tasks_and_slips():
    for one, other in zip(drills(), drills(table=True), strict=True):
        assert (one["answer"], one["values"], len(one["texts"])) == (other["answer"], other["values"], len(other["texts"]))


# ---- on a page ----

TITLES = ["郁金香日历", "花语", "花卉修剪", "面粉选购指南", "小麦价格", "怎样种玫瑰"]
BEN, CLEO = [1, 1, 2, 0, 0, 3], [2, 3, 0, 0, 1, 1]
RANKING = {"measures": "P@3 R@3 AP RR nDCG ERR AUC", "scale": 3, "lists": {"本": BEN, "克莱奥": CLEO}, "goal": {"above": "克莱奥", "swaps": 1}}
# All that can be seen or heard of an element: its texts, and those of the attributes.
HEARD = """element => {
  const texts = [], walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.parentElement.tagName !== 'STYLE') texts.push(node.data);
  for (const part of [element, ...element.querySelectorAll('*')])
    for (const name of ['aria-label', 'aria-valuetext', 'aria-description', 'title', 'alt', 'placeholder']) texts.push(part.getAttribute(name) ?? '');
  return texts.filter(text => text.trim());
}"""


@pytest.fixture
def site(open_site):
    "A page with these elements and the loader of the site."
    scripts = {f"play/{name}": ("text/javascript", (NBS / "play" / name).read_text(encoding="utf-8")) for name in ("play.js", "play.zh.js")}

    def shown(*elements, lang="zh-CN", **how):
        body = page_of(*elements, script=LOADER).replace("<html lang='en'>", f"<html lang='{lang}'>")
        page = open_site({"": ("text/html", body), **scripts}, **{"reduced_motion": "reduce"} | how)
        if elements:
            page.wait_for_selector(":is(.play, .drill) > section", state="attached")
        return page

    return shown


def heard(page, selector=".play"):
    "All that can be seen or heard, which must be Chinese."
    texts = page.locator(selector).first.evaluate(HEARD)
    whole = [*texts, page.locator(selector).first.locator("[role=status]").inner_text()]
    assert [text for text in whole if english(text) or misspaced(text.strip())] == []
    return texts


@pytest.mark.parametrize(("lang", "loaded"), [("en", []), ("de", []), ("zh-CN", ["play/play.zh.js"]), ("zh", ["play/play.zh.js"])])
def test_only_a_page_in_chinese_loads_the_table(site, lang, loaded):
    asked = []
    page = site(example(), lang=lang, asked=asked)
    assert [name for name in asked if name.startswith("play/")] == [*loaded, "play/play.js"]
    assert page.get_by_role("button", name="撤销" if loaded else "Undo", exact=True).count() == 1


def test_a_page_without_a_ranking_loads_nothing(site):
    asked = []
    site(asked=asked)
    assert asked == [""]


# A visit in one script, since a click by the mouse of a test takes 20 times longer. It presses, and collects all that can be heard.
VISIT = """selector => {
  const root = document.querySelector(selector), texts = [], shown = e => e.getClientRects().length > 0 && !e.disabled;
  const hear = () => texts.push(...(%s)(root), root.querySelector('[role=status]').innerText);
  const press = name => {
    const buttons = [...root.querySelectorAll('button')].filter(shown);
    const found = buttons.filter(e => (e.getAttribute('aria-label') ?? e.textContent).trim() === name);
    if (found.length !== 1) throw Error(`${found.length} buttons ${name}`);
    found[0].click();
    hear();
  };
  const fill = (field, text) => {
    field.value = text;
    for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));
    hear();
  };
  hear();
  %s
  return texts;
}"""


def visit(page, script, selector=".play"):
    "Go through a script on a page; all that is heard on the way must be Chinese."
    texts = page.evaluate(VISIT % (HEARD, script), selector)
    assert {text for text in texts if english(text) or misspaced(text.strip())} == set()
    return texts


RANKING_VISIT = """
  root.querySelector('summary').click();
  for (const name of ['检查', '下移：郁金香日历', '上移：花卉修剪', '上移：小麦价格', '检查', '显示一个答案', '撤销', '撤销', '撤销', '撤销', '交换：花语', '交换：怎样种玫瑰']) press(name);
  root.querySelectorAll('.grade')[2].click();
  press('检查');
  for (let i = 0; i < root.querySelectorAll('.chips button').length; i++) {
    root.querySelectorAll('.chips button')[i].click();
    hear();
  }
  const slider = root.querySelector('input[type=range]');
  if (slider && shown(slider)) for (const k of ['2', '7']) fill(slider, k);
  for (const name of ['重新开始', '新列表', '让两个指标一升一降', '检查', '从“克莱奥”开始', '重新开始', '先预测']) press(name);
  for (const guess of ['x', '0.123', '7']) {
    fill(root.querySelector('input[type=text]'), guess);
    press('检查');
    if (guess !== 'x') press('先预测');
  }"""


@pytest.mark.parametrize("measure", ["nDCG", "nDCG(gain=&#39;exp&#39;)@5", "P@3", "AP@4", "RR", "ERR(max_grade=3)", "AUC", "RBP(p=0.5)"])
def test_chinese_ranking_shows_no_english(site, measure):
    texts = visit(site(example(measure, BEN, TITLES, "能只换一次就超过克莱奥吗？", **RANKING)), RANKING_VISIT)
    assert len(set(texts)) > 150


def test_phrases_fit_together_as_a_teacher_would_write_them(site):
    page = site(example("nDCG", BEN, TITLES, "问题？", **RANKING))
    page.get_by_role("button", name="下移：郁金香日历").click()
    assert page.locator("[role=status] p").first.inner_text() == "“郁金香日历”现在是第 2 名（共 6 名），nDCG 0.712"
    page.get_by_role("button", name="检查").click()
    assert page.locator("[role=status] p").nth(1).inner_text() == f"还不行：nDCG 为 0.712，不高于 {parse('nDCG').of(CLEO):.3f}（“克莱奥”的值）。每个名次的贡献都和原来一样。"
    assert page.locator(".count").inner_text() == "已改动 1 次（限 1 次）"


def test_an_unjudged_document_and_a_handle_are_named_in_chinese(site):
    page = site(example("AP", [1, None, 0, 1], TITLES[:4], "问题？", goal={"above": 0.9, "swaps": 1}), "<p>第 1、4 名：<span class='handle' data-swap='1 4'>0.750</span></p>")
    assert "等级 –（未判断），按下可修改：花语" in heard(page)
    page.locator("button.handle").click()
    assert page.locator("button.handle").get_attribute("title") == "在排序中查看"
    assert page.locator("[role=status] p").first.inner_text().startswith("按正文所说，AP ")
    heard(page)


DRILL_VISIT = """
  for (const level of [1, 2, 3]) {
    press(`难度 ${level}`);
    for (let task = 0; task < 3; task++) {
      const form = root.querySelector('form');
      if (form && shown(form)) for (const answer of ['x', '0.11', '1/7']) {
        fill(root.querySelector('[aria-label="你的答案"]') ?? form.querySelector('input'), answer);
        press('检查');
      }
      press('显示解法');
      press('下一题');
    }
  }"""


@pytest.mark.parametrize("topic", [*TOPICS, "mixed"])
def test_chinese_drill_shows_no_english(site, topic):
    page = site(f"<div class='drill' data-topic='{topic}'><p>没有脚本。</p></div>", address="#seed=17&level=1&task=1")
    assert len(set(visit(page, DRILL_VISIT, ".drill"))) > 50


def test_a_phone_in_both_themes_has_room_contrast_and_targets_in_chinese(site):
    drill = "<div class='drill' data-topic='dcg'><p>没有脚本。</p></div>"
    page = site(example("nDCG", BEN, TITLES, "能只换一次就超过克莱奥吗？", **RANKING), drill, address="#seed=3&level=3&task=1", viewport={"width": 400, "height": 800})
    page.get_by_role("button", name="显示解法").click()
    page.locator(".play summary").first.click()
    assert page.evaluate(WIDE) <= 1 and page.evaluate(SMALL) == []
    for theme in "quarto-light", "quarto-dark":
        page.evaluate(f"document.body.className = '{theme}'")
        assert page.evaluate(CONTRAST) == [], theme


# ---- in a notebook ----


def test_widget_is_english_unless_chinese_is_requested():
    script = PLAY.read_text(encoding="utf-8")
    assert play([1, 0])._esm == script
    chinese = play([1, 0], language="zh")._esm
    assert chinese.count("只算前 {0} 名。") == script.count("只算前 {0} 名。") + 1
    with pytest.raises(ValueError, match="language 'xx' is unknown"):
        play([1, 0], language="xx")


def test_a_widget_in_chinese_leaves_the_other_widgets_english(site):
    page = site(lang="en")
    page.evaluate("""async script => {
      const url = URL.createObjectURL(new Blob([script], {type: 'text/javascript'}));
      window.render = (await import(url)).default.render;
    }""", play([1, 0], language="zh")._esm)
    state = {"grades": [0, 3], "missed": [], "lists": None, "goal": None, "question": "", "measure": "AP", "measures": [], "titles": ["甲", "乙"], "value": 0}
    page.evaluate(MODEL.replace("const {default: {render}} = await import('/play.js'), heard", "const render = window.render, heard"), state)
    page.get_by_role("button", name="上移：乙").click()
    assert page.locator("[role=status]").inner_text() == "“乙”现在是第 1 名（共 2 名），AP 1.000（+0.500）"
    page.evaluate(MODEL.replace("/play.js", "/play/play.js"), state)
    assert page.get_by_role("button", name="Move up: 乙").count() == 1

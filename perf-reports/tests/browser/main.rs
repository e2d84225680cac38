//! A report as a reader opens it: a browser must show every figure, whole, in light and in dark, and
//! have nothing to complain of.

#![cfg(unix)]

mod chromium;
#[allow(dead_code)] // not every test needs all of it
#[path = "../common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};

use chromium::Browser;
use common::{fresh, json_lines, measured, perf, text};
use serde_json::{Value, json};

/// What the page looks like.
const LOOK: &str = r#"(() => {
  const shown = element => getComputedStyle(element);
  const clear = colour => colour === 'transparent' || colour.endsWith(', 0)');
  const behind = element => {
    while (element && clear(shown(element).backgroundColor)) element = element.parentElement;
    return element ? shown(element).backgroundColor : 'rgb(255, 255, 255)';
  };
  const box = element => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return [left, top, right, bottom];
  };
  const speaks = element =>
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '');
  const words = [...document.querySelectorAll('body *:not(svg *)')]
    .filter(element => speaks(element) && element.getClientRects().length > 0);
  // The ground that a label stands on: the last that was painted before it.
  const ground = (svg, label) => {
    const [left, top, right, bottom] = box(label);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const under = [...svg.querySelectorAll('rect')].filter(rect => {
      const [left, top, right, bottom] = box(rect);
      return left <= x && x <= right && top <= y && y <= bottom && shown(rect).fill !== 'none'
        && rect.compareDocumentPosition(label) & Node.DOCUMENT_POSITION_FOLLOWING;
    });
    return shown(under.pop() ?? svg.querySelector('rect')).fill;
  };
  const figure = svg => ({
    box: box(svg),
    elements: svg.querySelectorAll('*').length,
    paper: shown(svg.querySelector('rect')).fill,
    labels: [...svg.querySelectorAll('text')].map(label =>
      ({text: label.textContent.trim(), box: box(label), colour: shown(label).fill,
        ground: ground(svg, label)})),
  });
  const root = document.documentElement;
  return {
    paper: shown(document.body).backgroundColor,
    width: root.clientWidth,
    reach: root.scrollWidth,
    words: words.map(element => [element.textContent, shown(element).color, behind(element)]),
    figures: [...document.querySelectorAll('figure > svg')].map(figure),
  };
})()"#;

/// Whether a figure's own file is drawn, and of how many elements besides its style.
const ALONE: &str = "document.documentElement.nodeName === 'svg'
  && document.querySelector('parsererror') === null
  ? document.querySelectorAll('svg *').length - document.querySelectorAll('style').length : 0";

/// The measured cases under other names, so that every figure there is has something to show: as many
/// kinds as there are, as much data as shows on every level, and on two threads.
fn of_every_kind(folder: &Path) {
    measured(folder);
    let data = folder.join("data");
    let records = json_lines(&data.join("results.jsonl"));
    let plans = fs::read_to_string(data.join("plans.json")).unwrap();
    let mut plans: Value = serde_json::from_str(&plans).unwrap();
    let case = plans["cases"][0].clone();
    let named = |record: &&Value| record["case"] == case["name"];
    let own: Vec<Value> = records.iter().filter(named).cloned().collect();
    let mut lines: Vec<Value> = records.clone();
    let names = [
        ("D.T.4x4.f32", "small"),
        ("B.00.10.7264x7264", "ttc"),
        ("B.01.210.384x384x384", "ttc"),
        ("K.transpose.4.1MiB", "size"),
        ("K.transpose.4.4MiB", "size"),
        ("K.transpose.4.64MiB", "size"),
        ("P.2.10.4", "permutation"),
        ("P.3.210.4", "permutation"),
        ("R.1000", "resonance"),
        ("R.1001", "resonance"),
        ("F1-planes", "flagship"),
        ("F2-heads-of-a-long-name-f32", "flagship"),
    ];
    for (i, (name, kind)) in names.into_iter().enumerate() {
        let mut other = case.clone();
        // A side of 64 KiB to 128 MiB.
        let bytes = 1_usize << (16 + i);
        other["name"] = json!(name);
        other["kind"] = json!(kind);
        other["side_bytes"] = json!(bytes);
        other["src_line_bytes"] = json!(bytes as f64 * (1.0 + i as f64));
        other["dst_line_bytes"] = json!(bytes as f64);
        let mut plan = other["plans"][0].clone();
        plan["threads"] = json!(2);
        other["plans"].as_array_mut().unwrap().push(plan);
        plans["cases"].as_array_mut().unwrap().push(other);
        for (record, threads) in own.iter().flat_map(|record| [(record, 1), (record, 2)]) {
            let mut record = record.clone();
            let who = match record["implementation"].as_str().unwrap() {
                "restride" => 1.1,
                "memcpy" | "nt4copy" => 1.0 - 0.05 * i as f64,
                _ => 3.0 + i as f64,
            };
            // 10 GB/s or so.
            let ns = 0.2 * bytes as f64 * who / f64::from(threads).sqrt();
            record["case"] = json!(name);
            record["threads"] = json!(threads);
            record["median_ns"] = json!(ns);
            record["samples_ns"] = json!(vec![ns; 9]);
            lines.push(record);
        }
    }
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(data.join("results.jsonl"), lines).unwrap();
    fs::write(data.join("plans.json"), plans.to_string()).unwrap();
    let output = perf(&["render", text(folder)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Left, top, right, bottom.
fn sides(of: &Value) -> [f64; 4] {
    let sides = of["box"].as_array().expect("it has a box");
    std::array::from_fn(|i| sides[i].as_f64().expect("a number"))
}

/// How well a colour is read on another: WCAG's ratio, 1 to 21.
fn contrast(one: &Value, other: &Value) -> f64 {
    let luminance = |colour: &Value| {
        let text = colour.as_str().expect("a colour");
        let inner = text.trim_start_matches("rgb(").trim_end_matches(')');
        let parts = inner.split(", ").map(|part| {
            let part: f64 = part.parse().unwrap_or_else(|_| panic!("{text}"));
            let share = part / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        });
        let weighed = parts.zip([0.2126, 0.7152, 0.0722]);
        weighed.map(|(part, weight)| part * weight).sum::<f64>()
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrasts_are_those_of_wcag() {
    let of = |one: &str, other: &str| contrast(&json!(one), &json!(other));
    let (black, white) = ("rgb(0, 0, 0)", "rgb(255, 255, 255)");
    assert!((of(black, white) - 21.0).abs() < 1e-9);
    assert!((of(white, white) - 1.0).abs() < 1e-9);
    // The lightest grey that passes on white.
    assert!((of("rgb(118, 118, 118)", white) - 4.54).abs() < 0.01);
}

/// What is wrong with what a page shows, without labels in narrow windows, where figures shrink.
fn faults(look: &Value, figures: usize) -> Vec<String> {
    let mut faults = Vec::new();
    let width = look["width"].as_f64().unwrap();
    if look["reach"].as_f64().unwrap() > width {
        faults.push(format!("the page is wider than {width}: {}", look["reach"]));
    }
    let words = look["words"].as_array().unwrap();
    if words.len() < 50 {
        faults.push(format!("hardly a word: {words:?}"));
    }
    for word in words {
        let ratio = contrast(&word[1], &word[2]);
        if ratio < 4.5 {
            faults.push(format!("contrast {ratio:.1}: {word}"));
        }
    }
    let shown = look["figures"].as_array().unwrap();
    if shown.len() != figures {
        faults.push(format!("{} of {figures} figures", shown.len()));
    }
    for figure in shown {
        let [left, top, right, bottom] = sides(figure);
        if right - left < 100.0 || bottom - top < 50.0 || left < 0.0 || right > width {
            faults.push(format!("a figure from {left}, {top} to {right}, {bottom}"));
        }
        let labels = figure["labels"].as_array().unwrap();
        for (i, label) in labels.iter().enumerate() {
            let name = &label["text"];
            // Letters are large enough to be read where colours are those of lines, too.
            let ratio = contrast(&label["colour"], &label["ground"]);
            if ratio < 3.0 {
                faults.push(format!("contrast {ratio:.1}: {name}"));
            }
            let own = sides(label);
            if own[0] < left || own[1] < top || own[2] > right || own[3] > bottom {
                faults.push(format!("{name} leaves its figure"));
            }
            for other in &labels[..i] {
                let theirs = sides(other);
                let over = |a: usize, b: usize| own[b].min(theirs[b]) - own[a].max(theirs[a]);
                // Lines of text stand closer than their boxes.
                if over(0, 2) > 1.0 && over(1, 3) > 3.0 {
                    faults.push(format!("{name} stands over {}", other["text"]));
                }
            }
        }
    }
    faults
}

#[test]
fn a_browser_shows_every_figure_in_light_and_in_dark() {
    let profile = fresh("browser-profile");
    let Some(mut browser) = Browser::start(&profile) else {
        println!("skipped: no chromium on this machine");
        return;
    };
    let folder = fresh("browser");
    of_every_kind(&folder);
    let entries = fs::read_dir(folder.join("fig")).unwrap();
    let files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 11, "{files:?}");
    let page = folder.join("report.html");

    let mut papers = Vec::new();
    let mut elements = Vec::new();
    for dark in [false, true] {
        for width in [1200, 400] {
            browser.open(&page, width, dark);
            let look = browser.evaluate(LOOK);
            let (complaints, addresses) = browser.heard();
            assert!(complaints.is_empty(), "{complaints:?}");
            // Itself, and what it brings along.
            let foreign = |url: &&String| !url.starts_with("data:");
            let asked: Vec<_> = addresses.iter().filter(foreign).collect();
            assert_eq!(asked, [&format!("file://{}", page.display())]);
            let faults = faults(&look, files.len());
            assert!(faults.is_empty(), "dark: {dark}, {width}: {faults:#?}");
            if width == 1200 {
                papers.push((look["paper"].clone(), look["figures"][0]["paper"].clone()));
                let figures = look["figures"].as_array().unwrap().iter();
                elements = figures.map(|it| it["elements"].as_u64()).collect();
            }
        }
    }
    assert!(papers[0].0 != papers[1].0 && papers[0].1 != papers[1].1);
    assert!(papers.iter().all(|(page, figure)| page == figure));

    // Each file alone is the figure of the page.
    let mut alone: Vec<_> = files
        .iter()
        .map(|file| {
            browser.open(file, 1200, false);
            browser.evaluate(ALONE).as_u64()
        })
        .collect();
    let (complaints, _) = browser.heard();
    assert!(complaints.is_empty(), "{complaints:?}");
    alone.sort_unstable();
    elements.sort_unstable();
    assert_eq!(alone, elements);
}

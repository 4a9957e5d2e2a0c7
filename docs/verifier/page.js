// The page: files chosen or dropped, checked one after the other, and what was found.
(function (own) {
  "use strict";

  const place = (id) => document.getElementById(id);
  const given = new Map();
  let run = 0;

  function element(name, text, parent) {
    const made = document.createElement(name);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function entry(list, term, ...values) {
    if (values.length === 0) return;
    element("dt", term, list);
    for (const value of values) element("dd", value, list);
  }

  function article(title, isWrong) {
    const made = document.createElement("article");
    if (isWrong) made.className = "wrong";
    element("h3", title, made);
    place("reports").append(made);
    return element("dl", "", made);
  }

  function showFile(each) {
    const places = each.faults.map(({ place }) => place).join(", ");
    const fault = own.isUnread(each) ? "can't be read" : `wrong at ${places}`;
    const list = article(
      `${each.file}: ${each.ok ? "all that can be checked holds" : fault}`,
      !each.ok,
    );
    entry(list, own.isUnread(each) ? "Unread" : "Wrong", ...each.faults.map((f) => `${f.place}: ${f.reason} (${f.code})`));
    if (each.match_id) {
      entry(list, "Match", `${each.match_id}, ${each.perspective}, ${each.events} events`);
      entry(list, "Hash of its last event", each.head);
    }
    if (each.documents > 0) entry(list, "Signed documents", String(each.documents));
    if (each.checked.length > 0) entry(list, "Checked", each.checked.join(", "));
    entry(list, "Not checked here", ...each.unchecked);
  }

  function showTogether({ contradictions, unchecked }) {
    for (const { places, reason, code } of contradictions) {
      const list = article(`${places.join(" and ")}: not true together`, true);
      entry(list, "Wrong", `${reason} (${code})`);
    }
    if (unchecked.length > 0) entry(article("Together", false), "Not checked here", ...unchecked);
  }

  function show(report) {
    place("reports").replaceChildren();
    report.files.forEach(showFile);
    showTogether(report);
    place("verdict").textContent = report.ok ? "Nothing is wrong" : "It does not hold";
    place("result").hidden = false;
  }

  function say(text, share = null) {
    // What stays the same is not read out again.
    if (place("status").textContent !== text) place("status").textContent = text;
    place("progress").hidden = share === null;
    if (share !== null) place("progress").value = share;
  }

  /** Lets the browser draw, and stops a check that another one has overtaken. */
  async function rest(mine) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (mine !== run) throw new DOMException("overtaken", "AbortError");
  }

  async function sorted(mine) {
    const files = [],
      keys = [];
    for (const [file, blob] of given) {
      say(`Reading ${file}`);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      await rest(mine);
      const found = await own.keysIn(bytes);
      if (found === null) files.push({ file, bytes });
      else keys.push(...found);
    }
    return { files, trusted: keys.length > 0 ? keys : null };
  }

  async function check() {
    run += 1;
    const mine = run;
    place("result").hidden = true;
    try {
      const { files, trusted } = await sorted(mine);
      if (files.length === 0) {
        say(given.size === 0 ? "No file yet." : "Keys are there; now the files to check.");
        return;
      }
      const progress = async (file, done, of) => {
        say(`Checking ${file}`, done / of);
        await rest(mine);
      };
      const report = await own.verifyFiles(files, trusted, { progress, now: Date.now() });
      await rest(mine);
      show(report);
      say(
        `${files.length === 1 ? "One file" : `${files.length} files`} checked: ${report.ok ? "nothing is wrong" : "it does not hold"}.`,
      );
      place("verdict").focus();
    } catch (error) {
      if (error.name === "AbortError") return;
      say(`This page could not check it: ${error.message}`);
    }
  }

  /** What a file is called that is not there yet: two holders' bundles may have one name. */
  function nameOf({ name }) {
    let made = name;
    for (let number = 2; given.has(made); number += 1) made = `${name} (${number})`;
    return made;
  }

  function add(list) {
    for (const file of list) given.set(nameOf(file), file);
    if (list.length > 0) check();
  }

  function listen() {
    place("files").addEventListener("change", ({ target }) => add([...target.files]));
    place("clear").addEventListener("click", () => {
      given.clear();
      place("files").value = "";
      check();
    });
    addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dragged");
    });
    addEventListener("dragleave", () => document.body.classList.remove("dragged"));
    addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dragged");
      add([...event.dataTransfer.files]);
    });
  }

  if (globalThis.crypto?.subtle === undefined) {
    say("This browser gives no WebCrypto here: open the page from a file or over https.");
  } else listen();
})((globalThis.PlyscribeVerifier ??= {}));

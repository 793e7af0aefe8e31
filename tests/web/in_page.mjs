// What the checks look at inside a page. Each function is sent to the browser by itself; what they share is put there first.

/** Colours as the eye weighs them (WCAG 2), left in the page as window.colours. */
export function installColours() {
  const rgba = (css) => {
    const [r, g, b, a = 1] = (css.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return { rgb: [r, g, b], a };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = ({ rgb, a }, below) => rgb.map((c, i) => a * c + (1 - a) * below[i]);
  const contrast = (one, two) => {
    const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const colour = rgba(getComputedStyle(element).backgroundColor);
    return colour.a === 1 ? colour.rgb : over(colour, behind(element.parentElement));
  };
  window.colours = { rgba, over, contrast, behind };
}

/** How every figure stands after all were drawn. */
export async function figureStates() {
  await window.atto.renderAll();
  return window.atto.figures.map(({ element, place, spec, view, failed }) => {
    let marks = 0;
    const count = (mark) => {
      if (mark.marktype !== "group") marks += mark.role === "mark" ? mark.items.length : 0;
      else mark.items.forEach((item) => item.items.forEach(count));
    };
    if (view) count(view.scenegraph().root);
    return {
      id: element.id,
      again: Boolean(element.dataset.spec), // shown in full elsewhere, with its controls
      failure: failed?.message,
      drawn: Boolean(place.querySelector("svg, canvas")),
      excess: place.firstElementChild ? place.firstElementChild.getBoundingClientRect().width - place.clientWidth : 0,
      marks,
      statedMarks: spec?.usermeta?.atto?.marks,
      frames: spec?.usermeta?.atto?.frames?.steps.length,
    };
  });
}

/** Text of the page that stands out less than `least` to 1 from what is behind it. */
export function faintTexts(least) {
  const found = [];
  const judge = (where, text, colour, background) => {
    const ratio = window.colours.contrast(window.colours.over(colour, background), background);
    if (ratio < least) found.push(`${where}: "${text.trim().slice(0, 40)}" has contrast ${ratio.toFixed(2)}`);
  };
  const { rgba, behind } = window.colours;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("svg, script, style") || !parent.checkVisibility()) continue;
    judge(parent.closest("[id]")?.id ?? "page", node.data, rgba(getComputedStyle(parent).color), behind(parent));
  }
  for (const input of document.querySelectorAll("input[placeholder]")) {
    judge("placeholder", input.placeholder, rgba(getComputedStyle(input, "::placeholder").color), behind(input));
  }
  return found;
}

/** Labels of figures that are faint, or lie on each other. A figure on a canvas is looked at as the SVG it would be. */
export async function badLabels(least) {
  const { rgba, over, contrast } = window.colours;
  const found = [];

  const isRim = ({ stroke }) => stroke !== "none"; // it lies behind its own text
  // Text with a rim, which is the same text drawn below it with a stroke, stands on the rim; other text on a cell of a map stands on
  // that cell, and the rest on the paper of its figure.
  const faint = (picture, texts) => {
    const paper = rgba(getComputedStyle(picture.querySelector("rect")).fill).rgb;
    const cells = [...picture.querySelectorAll(".mark-rect path")].map((cell) => ({
      box: cell.getBoundingClientRect(),
      colour: rgba(getComputedStyle(cell).fill),
    }));
    const rims = texts.filter(isRim);
    return texts.flatMap(({ text, box, fill }) => {
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      if (rims.some((rim) => rim.text === text && Math.hypot(rim.box.x - box.x, rim.box.y - box.y) < 4)) return [];
      const under = cells.filter((cell) => cell.box.left <= x && x <= cell.box.right && cell.box.top <= y && y <= cell.box.bottom);
      const background = under.reduce((below, cell) => over(cell.colour, below), paper);
      const ratio = contrast(over(rgba(fill), background), background);
      return ratio < least ? [`"${text}" has contrast ${ratio.toFixed(2)}`] : [];
    });
  };
  const overlaps = (texts) =>
    texts.flatMap((one, index) =>
      texts.slice(index + 1).flatMap((two) => {
        const [a, b] = [one.box, two.box];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Boxes of letters are higher than the letters.
        const overlap = across > 1 && down > 0.25 * Math.min(a.height, b.height);
        return overlap ? [`"${one.text}" and "${two.text}" overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px`] : [];
      }),
    );

  for (const { element, view } of window.atto.figures) {
    if (!view) continue;
    const picture = document.createElement("div");
    picture.style.cssText = "position: fixed; left: 0; top: 0; visibility: hidden";
    picture.append(document.importNode(new DOMParser().parseFromString(await view.toSVG(), "image/svg+xml").documentElement, true));
    document.body.append(picture);
    const texts = [...picture.querySelectorAll("text")]
      .map((node) => {
        const { fill, stroke, opacity } = getComputedStyle(node);
        return { text: node.textContent.trim(), box: node.getBoundingClientRect(), fill, stroke, opacity };
      })
      .filter(({ text, fill, opacity }) => text && fill !== "none" && opacity !== "0");
    const problems = [...faint(picture, texts), ...overlaps(texts.filter((one) => !isRim(one)))];
    found.push(...problems.map((problem) => `${element.id}: ${problem}`));
    picture.remove();
  }
  return found;
}

/** What sticks out of the window to the right, if the page as a whole can be scrolled sideways. */
export function sidewaysScroll() {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  const inBox = (element) => element.parentElement?.closest(".scroll, .view");
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.getBoundingClientRect().right > room + 1 && !inBox(element))
    .map((element) => `<${element.localName} class="${element.getAttribute("class") ?? ""}"> sticks out of ${room} px`)
    .slice(0, 5);
}

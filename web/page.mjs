// Pages allow exactly the scripts and styles that they were built with.
import { createHash } from "node:crypto";

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The template with the hashes of its scripts and styles where it says {{scripts}} and {{styles}}, in its Content-Security-Policy.
 *  `parts` are what will stand at its other places: {{script}}, {{style}}. Blocks of data are no scripts. */
export function withPolicy(template, parts) {
  const filled = (text) => text.replace(/\{\{(\w+)\}\}/g, (place, name) => parts[name] ?? place);
  const hashes = (tag) => [...template.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(([, text]) => hash(filled(text))).join(" ");
  return template.replace("{{scripts}}", () => hashes("script")).replace("{{styles}}", () => hashes("style"));
}

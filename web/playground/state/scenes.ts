// The scenes: study files, and what the page says and suggests next to them.
import attentionSink from "../../scenes/attention-sink.toml";
import blank from "../../scenes/blank.toml";
import branching from "../../scenes/branching.toml";
import emergence from "../../scenes/emergence.toml";
import previousToken from "../../scenes/previous-token.toml";
import recall from "../../scenes/recall.toml";
import similarContent from "../../scenes/similar-content.toml";
import stickyPlateau from "../../scenes/sticky-plateau.toml";
import type { Value } from "../engine/engine.ts";
import type { Change } from "./state.ts";

export interface Line {
  name: string;
  at: number;
}

export interface Scene {
  id: string;
  name: string;
  text: string;
  /** The series that the large plot shows, and whether its axis is logarithmic. */
  main: string;
  log: boolean;
  /** Levels that the source speaks of, by the settings of a cell. */
  lines?: (config: Record<string, Value>) => Line[];
  /** What to look at, in a sentence, and what to try. */
  look: string;
  tries: { text: string; change: Change }[];
  plane: { x: string; y: string; quantity: string };
  /** A seed that shows it well, for the views of one seed. */
  seed?: number;
}

const vocab = (config: Record<string, Value>): number => Number(config["data.vocab"]);
const half = (config: Record<string, Value>): Line[] => [{ name: "V/2", at: vocab(config) / 2 }];

export const SCENES: Scene[] = [
  {
    id: "sticky-plateau",
    name: "Sticky plateau",
    text: stickyPlateau,
    main: "perplexity",
    log: true,
    lines: half,
    look: "Every line is one network. Watch them come to rest at V/2, and some never leave.",
    tries: [
      { text: "wider: does it still stick?", change: { vs: { "network.width": "5" } } },
      { text: "free the unembedding", change: { vs: { "network.unembedding": "free" } } },
      { text: "paint where plateaus are", change: { tab: "plane" } },
    ],
    seed: 13,
    plane: { x: "network.width: 1, 2, 3, 4, 6", y: "data.context: 2, 4, 8, 16", quantity: "plateau.present" },
  },
  {
    id: "branching",
    name: "Branching",
    text: branching,
    main: "perplexity",
    log: true,
    lines: half,
    look: "Follow one seed: its four tokens part in two pairs, rest, and then each pair splits.",
    tries: [
      { text: "six tokens", change: { set: { "data.vocab": "6" } } },
      { text: "smaller starting weights", change: { vs: { "network.init_scale": "0.3" } } },
    ],
    seed: 10,
    plane: { x: "data.vocab: 4, 6, 8, 12", y: "network.init_scale: 0.25, 0.5, 1, 2", quantity: "plateau.present" },
  },
  {
    id: "similar-content",
    name: "Similar content",
    text: similarContent,
    main: "perplexity",
    log: true,
    lines: half,
    look: "The embeddings of neighbouring numbers, in neighbouring colours, line up along a curve.",
    tries: [
      { text: "more width", change: { vs: { "network.width": "4" } } },
      { text: "scores by distance", change: { vs: { "network.kernel": "distance" } } },
    ],
    seed: 2,
    plane: { x: "network.width: 2, 3, 4", y: "data.context: 3, 4, 6", quantity: "halved.emerged" },
  },
  {
    id: "previous-token",
    name: "Previous token",
    text: previousToken,
    main: "perplexity",
    log: true,
    look: "Attention turns to the second to last column: a previous-token head.",
    tries: [
      { text: "without positions", change: { vs: { "network.positions": "none" } } },
      { text: "ten times the rate: spikes", change: { vs: { "training.rate": "0.1" } } },
      { text: "two tokens back", change: { vs: { "data.offset": "2" } } },
    ],
    seed: 12,
    plane: { x: "data.vocab: 10, 20, 30, 50", y: "training.rate: 0.003, 0.01, 0.03, 0.1", quantity: "learnt.emerged" },
  },
  {
    id: "attention-sink",
    name: "Sinks",
    text: attentionSink,
    main: "perplexity",
    log: true,
    look: "The first column of the attention maps fills: every query looks at [BOS].",
    tries: [
      { text: "let attention give less than all", change: { vs: { "network.normalizer": "softmax-plus-one" } } },
      { text: "tokens alike in frequency", change: { vs: { "data.exponent": "0" } } },
    ],
    plane: { x: "data.vocab: 10, 20, 50", y: "data.context: 4, 8, 12", quantity: "forms.emerged" },
  },
  {
    id: "emergence",
    name: "Emergence",
    text: emergence,
    main: "loss.expected",
    log: false,
    look: "The dashed line was drawn before the first step: theory says when attention will find the one token that matters.",
    tries: [
      { text: "four copies: twice as fast", change: { vs: { "data.repeat": "4" } } },
      { text: "twice as long", change: { set: { "data.context": "128", "training.steps": "1400" } } },
      { text: "Adam instead of SGD", change: { vs: { "training.optimizer": "adam", "training.rate": "0.01" } } },
    ],
    plane: { x: "data.context: 16, 32, 64, 128", y: "data.dimension: 4, 8, 16, 32", quantity: "escape.emerged" },
  },
  {
    id: "recall",
    name: "Recall",
    text: recall,
    main: "accuracy.test",
    log: false,
    lines: (config) => [{ name: "guess among the pairs", at: 1 / Number(config["data.pairs"]) }],
    look: "Nothing for hundreds of steps, then two layers of attention click into place together.",
    tries: [
      { text: "more repetition in context", change: { vs: { "data.repeat": "2" } } },
      { text: "fewer pairs", change: { vs: { "data.pairs": "4" } } },
    ],
    plane: { x: "data.pairs: 3, 4, 6", y: "network.width: 8, 12, 16", quantity: "recall.emerged" },
  },
  {
    id: "blank",
    name: "Your own",
    text: blank,
    main: "perplexity",
    log: true,
    look: "Choose data, network and training on the left; every change trains anew.",
    tries: [
      { text: "find the most similar", change: { set: { "data.task": "nearest" } } },
      { text: "a chain of tokens", change: { set: { "data.task": "bigram", "data.targets": "every" } } },
    ],
    plane: { x: "network.width: 1, 2, 3, 4", y: "data.vocab: 4, 6, 10, 20", quantity: "learnt.emerged" },
  },
];

export const sceneOf = (id: string): Scene | undefined => SCENES.find((scene) => scene.id === id);

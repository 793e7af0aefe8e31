// A visitor's claim in words.
import { figures } from "../draw/axes.ts";
import type { Claim } from "./toml.ts";

export const STATISTICS: Record<string, string> = { rate: "share of seeds with", median: "median of", mean: "mean of" };

export function sentence({ statistic, quantity, relativeTo, low, high }: Omit<Claim, "statement">): string {
  return `The ${STATISTICS[statistic] ?? `${statistic} of`} ${quantity}${relativeTo ? ` / ${relativeTo}` : ""} is ${figures(low)} to ${figures(high)}`;
}

// When the judge is asked about runs that train: one question at a time, a few times a second at most, and always once more at the end.

const BETWEEN = 400; // milliseconds from one question to the next, while runs are on their way

/** Of one session. A question about an older session is on its own way and keeps nobody waiting. */
export class Judging {
  #asking = false;
  #ended = false; // the end came while a question was on its way
  #askedAt = -Infinity;

  /** `ask` asks about all that is known when it is called, and takes care of what goes wrong. */
  constructor(
    readonly ask: () => Promise<void>,
    readonly now: () => number = () => performance.now(),
  ) {}

  /** Something is new; `last`: and nothing more will come. */
  async look(last: boolean): Promise<void> {
    if (this.#asking) {
      this.#ended ||= last;
      return;
    }
    if (!last && this.now() - this.#askedAt < BETWEEN) return;
    this.#asking = true;
    do {
      this.#ended = false;
      this.#askedAt = this.now();
      await this.ask();
    } while (this.#ended);
    this.#asking = false;
  }
}

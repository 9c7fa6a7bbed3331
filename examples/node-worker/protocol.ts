/** A client of Towpath's worker protocol: docs/reference/worker-protocol.md. It needs nothing but Node. */

import { setTimeout as sleep } from "node:timers/promises";

export interface ClaimedJob {
  job: string;
  epoch: number;
  lease_until: string;
  lease_seconds: number;
  pipeline: string;
  stage: string;
  payload: { version: number; document: string; run: string; arguments: Record<string, unknown> };
  document: { name: string; media_type: string; sha256: string; key: string };
  results: Record<string, Record<string, unknown>>;
  attempts: number;
  max_attempts: number;
}

export interface Artifact {
  key: string;
  size: number;
  sha256: string;
}

/** The answer to `begin`: see the table of states in the reference. */
export interface CallState {
  state: "make" | "answered" | "running" | "in_progress" | "wait" | "saved";
  key: string;
  body: string | null;
  operation_id: string | null;
  until: string | null;
  reason: string | null;
}

export interface ProviderCall {
  provider: string;
  model: string;
  parameters?: Record<string, string>;
  input_hash: string;
}

export type Outcome =
  | { outcome: "done"; result: Record<string, unknown> }
  | { outcome: "suspend"; seconds: number; reason: string; provider?: string; arguments?: Record<string, unknown> }
  | { outcome: "reject"; reason: string }
  | { outcome: "fail"; error: string }
  | { outcome: "release" };

/** Another worker has the job, or its run has ended: stop, and write nothing more about it. */
export class LeaseLost extends Error {}

/** Thrown by a stage that must wait for a provider: the job is settled with `suspend`. */
export class Wait extends Error {
  seconds: number;
  reason: string;

  constructor(seconds: number, reason: string) {
    super(reason);
    this.seconds = seconds;
    this.reason = reason;
  }
}

export class Towpath {
  #url: string;
  #key: string | undefined;

  constructor(url: string, key?: string) {
    this.#url = url.replace(/\/$/, "");
    this.#key = key;
  }

  async claim(body: {
    worker: string;
    stages: string[];
    limit?: number;
    lease_seconds?: number;
    job_ids?: string[];
    wait_seconds?: number;
  }): Promise<ClaimedJob[]> {
    return (await this.request("POST", "/worker/claim", JSON.stringify(body))).json();
  }

  async request(method: string, path: string, body?: string | Uint8Array): Promise<Response> {
    const headers: Record<string, string> = {};
    if (typeof body === "string") headers["Content-Type"] = "application/json";
    if (this.#key) headers["Authorization"] = `Bearer ${this.#key}`;
    const response = await fetch(this.#url + path, { method, headers, body });
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({ type: "", detail: response.statusText }));
    if (problem.type === "urn:towpath:lease-lost") throw new LeaseLost(problem.detail);
    throw new Error(`${method} ${path}: ${response.status} ${problem.detail}`);
  }
}

/** One claimed job. Every request names its lease, which heartbeats extend until `end`. */
export class HeldJob {
  readonly job: ClaimedJob;
  readonly lost: AbortSignal;
  #towpath: Towpath;
  #ended = new AbortController();
  #lost = new AbortController();

  constructor(towpath: Towpath, job: ClaimedJob) {
    this.#towpath = towpath;
    this.job = job;
    this.lost = this.#lost.signal;
    void this.#heartbeat();
  }

  async progress(done: number, total: number, unit: string): Promise<void> {
    await this.#post("progress", { done, total, unit });
  }

  /** Read the uploaded file, or an artifact of an earlier stage. */
  async read(key: string): Promise<Uint8Array> {
    const query = new URLSearchParams({ epoch: String(this.job.epoch), key });
    const response = await this.#towpath.request("GET", `/worker/${this.job.job}/artifacts?${query}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** Store an output; the same bytes get the same key. */
  async write(kind: string, suffix: string, mediaType: string, body: Uint8Array): Promise<Artifact> {
    const query = new URLSearchParams({ epoch: String(this.job.epoch), kind, suffix, media_type: mediaType });
    return (await this.#towpath.request("POST", `/worker/${this.job.job}/artifacts?${query}`, body)).json();
  }

  /** Make a paid call once: `make` runs only if no worker has an answer, and its answer is stored before it is used. */
  async callOnce(call: ProviderCall, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const begun: CallState = await this.#post("calls", { action: "begin", ...call });
    if (begun.state === "answered") return Buffer.from(begun.body ?? "", "base64");
    if (begun.state !== "make") {
      const seconds = begun.until ? Math.max(1, (Date.parse(begun.until) - Date.now()) / 1000) : 5;
      throw new Wait(seconds, begun.reason ?? "provider_operation");
    }
    let answer: Uint8Array;
    try {
      answer = await make();
    } catch (error) {
      await this.#post("calls", { action: "failed", key: begun.key, error: String(error).slice(0, 2000) });
      throw error;
    }
    await this.#post("calls", { action: "answer", key: begun.key, body: Buffer.from(answer).toString("base64") });
    return answer;
  }

  async settle(outcome: Outcome): Promise<void> {
    await this.#post("settle", outcome);
  }

  end(): void {
    this.#ended.abort();
  }

  async #post(path: string, body: object): Promise<any> {
    const text = JSON.stringify({ epoch: this.job.epoch, ...body });
    const response = await this.#towpath.request("POST", `/worker/${this.job.job}/${path}`, text);
    return response.status === 204 ? null : response.json();
  }

  async #heartbeat(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await sleep((this.job.lease_seconds * 1000) / 3, undefined, { signal });
        await this.#post("heartbeat", { lease_seconds: this.job.lease_seconds });
      } catch (error) {
        if (error instanceof LeaseLost) return this.#lost.abort();
        // The server does not answer: try again until the lease is lost.
      }
    }
  }
}

export type Stage = (held: HeldJob) => Promise<Record<string, unknown>>;

/** Run the stage on a claimed job and settle it. Returns what happened, in a word. */
export async function work(towpath: Towpath, job: ClaimedJob, stage: Stage): Promise<string> {
  const held = new HeldJob(towpath, job);
  try {
    let outcome: Outcome;
    try {
      outcome = { outcome: "done", result: await stage(held) };
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      outcome =
        error instanceof Wait
          ? { outcome: "suspend", seconds: error.seconds, reason: error.reason }
          : { outcome: "fail", error: String(error).slice(0, 2000) };
    }
    await held.settle(outcome);
    return outcome.outcome;
  } catch (error) {
    if (error instanceof LeaseLost) return "lease lost";
    throw error;
  } finally {
    held.end();
  }
}

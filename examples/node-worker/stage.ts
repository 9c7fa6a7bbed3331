/** The stage `save_markdown` in TypeScript: stores the text of a document as its content.md. */

import { setTimeout as sleep } from "node:timers/promises";
import type { HeldJob } from "./protocol.ts";

export const STAGE = "save_markdown";

/** Seconds that the stage takes longer, to see what happens to a worker that is killed in mid-job. */
const PAUSE_SECONDS = Number(process.env.PAUSE_SECONDS ?? 0);

export async function saveMarkdown(held: HeldJob): Promise<Record<string, unknown>> {
  const text = await held.read(String(held.job.results["extract"]["markdown"]));
  await held.progress(1, 2, "page");
  if (PAUSE_SECONDS) await sleep(PAUSE_SECONDS * 1000);
  const content = await held.write("content", "md", "text/markdown", text);
  return { markdown: content.key, bytes: content.size };
}

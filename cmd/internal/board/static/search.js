// A search in what is loaded, by the same rule as the server's.

import { environmentName } from './format.js';

export const searchWords = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

const begins = (word, names) => word.length >= 3 && names.some((name) => name.toLowerCase().startsWith(word));

// found reports whether a run has all words. Lists have only the beginning of long
// texts, so the server may know of more.
export function found(run, words) {
  const texts = [run.version, run.components, run.changes, run.deployedBy, run.currentStep, run.errorMessage, run.ciBuildNo]
    .filter(Boolean).map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word))
    || begins(word, [run.environment, environmentName(run.environment), run.status]));
}

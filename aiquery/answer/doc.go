// Package answer holds what the AI API answers, spelled as in its JSON: the
// result of a statement, or why there is none ([Error]); how it would be run, the
// caller's roles, and what a role may know about tables and windows. Packages
// aiquery, which makes these values, and aiclient, which receives them, have the
// types under the same names; nothing else is linked.
package answer

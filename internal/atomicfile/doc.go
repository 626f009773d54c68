// Package atomicfile replaces a file as a whole: a reader sees the old
// content or the new, never a part of it, and once [Write] has returned the
// new content survives a power cut. [ReadAtMost] reads a file up to a limit.
package atomicfile

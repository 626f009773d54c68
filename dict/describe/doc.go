// Package describe tells what is in the dictionary in few words, for people at a
// terminal and for assistants: a table in a dozen lines, a column in a few.
package describe

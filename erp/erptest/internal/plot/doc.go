// Package plot draws bar, line, area, pie and ring charts as PNG images, with
// nothing but the standard library.
package plot

package erptest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"sync"
	"time"
)

// Bounds of the log; beyond them a new file is begun, or the oldest goes.
const (
	maxLogFile  = 256 << 10
	maxLogFiles = 20
	maxLogLine  = 4 << 10
)

// logLevels are the names the ERP has for levels, and what they mean here.
var logLevels = map[string]slog.Level{
	"OFF": slog.Level(1000), "SEVERE": slog.LevelError, "WARNING": slog.LevelWarn, "INFO": slog.LevelInfo,
	"CONFIG": slog.LevelInfo - 1, "FINE": slog.LevelDebug, "FINER": slog.LevelDebug - 4, "FINEST": slog.LevelDebug - 8,
	"ALL": slog.Level(-1000),
}

// serverLog is the server's own log: files in memory that are fetched through
// the API. Its logger writes into them and nowhere else.
type serverLog struct {
	*slog.Logger
	now  func() time.Time
	zone *time.Location

	threshold slog.LevelVar
	mu        sync.Mutex // guards the rest
	level     string     // the ERP's name of the threshold
	files     []*logFile // oldest first, the last one is in use
}

type logFile struct {
	name string
	day  string
	data []byte
}

func newServerLog(now func() time.Time, zone *time.Location) *serverLog {
	l := &serverLog{now: now, zone: zone, level: "INFO"}
	l.Logger = slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: &l.threshold, ReplaceAttr: l.attribute}))
	l.rotate()
	return l
}

// attribute gives lines the server's time and the ERP's names of levels.
func (l *serverLog) attribute(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.TimeKey:
		return slog.String(a.Key, l.now().In(l.zone).Format("2006-01-02T15:04:05.000Z07:00"))
	case slog.LevelKey:
		if level, ok := a.Value.Any().(slog.Level); ok {
			for _, name := range []string{"SEVERE", "WARNING", "INFO", "CONFIG", "FINE", "FINER", "FINEST"} {
				if level >= logLevels[name] {
					return slog.String(a.Key, name)
				}
			}
		}
	}
	return a
}

// Write appends a line, for the logger.
func (l *serverLog) Write(line []byte) (int, error) {
	text := line
	if len(text) > maxLogLine {
		text = append(bytes.Clone(text[:maxLogLine]), "...\n"...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	current := l.files[len(l.files)-1]
	if len(current.data)+len(text) > maxLogFile || current.day != l.today() {
		l.begin()
		current = l.files[len(l.files)-1]
	}
	current.data = append(current.data, text...)
	return len(line), nil
}

func (l *serverLog) today() string { return l.now().In(l.zone).Format(time.DateOnly) }

// begin starts a new file. The caller holds the lock.
func (l *serverLog) begin() {
	day := l.today()
	var name string
	for n := 0; ; n++ {
		name = fmt.Sprintf("idempiere.%s_%d.log", day, n)
		if l.find(name) < 0 {
			break
		}
	}
	l.files = append(l.files, &logFile{name: name, day: day})
	if len(l.files) > maxLogFiles {
		l.files = slices.Delete(l.files, 0, len(l.files)-maxLogFiles)
	}
}

func (l *serverLog) find(name string) int {
	return slices.IndexFunc(l.files, func(f *logFile) bool { return f.name == name })
}

// rotate starts a new file.
func (l *serverLog) rotate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begin()
}

// clean deletes all files but the one in use.
func (l *serverLog) clean() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = l.files[len(l.files)-1:]
}

// current is the path of the file in use.
func (l *serverLog) current() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return logFolder + "/" + l.files[len(l.files)-1].name
}

// sizes are the paths of the files with their lengths, oldest first.
func (l *serverLog) sizes() (paths []string, sizes []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.files {
		paths, sizes = append(paths, logFolder+"/"+f.name), append(sizes, len(f.data))
	}
	return paths, sizes
}

// read is the content of a file, which is named with or without its folder.
func (l *serverLog) read(name string) ([]byte, bool) {
	if folder, base := path.Split(path.Clean(name)); folder == logFolder+"/" {
		name = base
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.find(name)
	if i < 0 {
		return nil, false
	}
	return bytes.Clone(l.files[i].data), true
}

// setLevel changes the level, false when no level has that name.
func (l *serverLog) setLevel(name string) bool {
	level, ok := logLevels[name]
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.level = name
	l.threshold.Set(level)
	return true
}

func (l *serverLog) levelName() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.level
}

// teeHandler hands each record to both handlers.
type teeHandler struct{ a, b slog.Handler }

// Enabled reports whether one of the two wants records of the level.
func (t teeHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return t.a.Enabled(ctx, level) || t.b.Enabled(ctx, level)
}

// Handle gives the record to those that want it; the second one's failure is
// reported only when the first succeeded.
func (t teeHandler) Handle(ctx context.Context, r slog.Record) error {
	var first, second error
	if t.a.Enabled(ctx, r.Level) {
		first = t.a.Handle(ctx, r.Clone())
	}
	if t.b.Enabled(ctx, r.Level) {
		second = t.b.Handle(ctx, r.Clone())
	}
	if first != nil {
		return first
	}
	return second
}

// WithAttrs gives both the attributes.
func (t teeHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return teeHandler{t.a.WithAttrs(attrs), t.b.WithAttrs(attrs)}
}

// WithGroup opens the group in both.
func (t teeHandler) WithGroup(name string) slog.Handler {
	return teeHandler{t.a.WithGroup(name), t.b.WithGroup(name)}
}

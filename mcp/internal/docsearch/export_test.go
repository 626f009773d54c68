package docsearch

// Len is the number of passages.
func (x *Index) Len() int { return len(x.passages) }

// Len is the number of passages.
func (l *Library) Len() int { return l.index.Load().Len() }

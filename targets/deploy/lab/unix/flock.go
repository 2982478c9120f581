package unix

// flocks are the advisory locks on the files of a device. They are guarded by the file system's lock.
type flocks map[*node]*flock

// flock is a lock with its holders and waiting processes.
type flock struct {
	exclusive bool
	holders   int
	changed   chan struct{}
}

// take acquires the lock of a file, or returns a channel to wait for.
func (f *FileSystem) take(n *node, exclusive bool) (changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.locks[n]
	switch {
	case l == nil:
		f.locks[n] = &flock{exclusive: exclusive, holders: 1, changed: make(chan struct{})}
	case !exclusive && !l.exclusive:
		l.holders++
	default:
		return l.changed
	}
	return nil
}

func (f *FileSystem) unlock(n *node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.locks[n]
	if l.holders--; l.holders == 0 {
		delete(f.locks, n)
		close(l.changed)
	}
}

// held keeps a lock while one of its descriptors is open.
type held struct {
	*handle
}

func (h held) close() { h.f.unlock(h.n) }

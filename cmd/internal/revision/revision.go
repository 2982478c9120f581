// Package revision reads the files of a commit of a git repository, a [Revision], by the git program. It only reads objects: it changes
// no work tree, runs no hook or filter, and uses no network.
package revision

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// The bounds of a read.
const (
	maxObject = 64 << 20         // bytes of a file or a folder
	maxRead   = 1 << 30          // bytes of all
	maxName   = 250              // bytes of the name of a revision
	maxTime   = 5 * time.Minute  // of all
	maxAnswer = 4096             // bytes of a line that git prints
	patience  = 10 * time.Second // time limit of git
)

// Revision is a commit whose files can be read.
type Revision struct {
	Name   string // as the person named it
	Commit string // its hash

	mu      sync.Mutex
	stop    context.CancelFunc
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	read    int
	known   int // entries of folders
	broken  error
	folders map[string][]entry // by hash
	root    string             // hash of the root folder
}

// UnknownError is the error for a name that is not a commit of the repository.
type UnknownError struct{ Name, Dir string }

// Error names the revision and the repository.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("%q is not a commit in the repository of %s", e.Name, e.Dir)
}

// ErrNoRepository is the error for a folder outside of any git repository.
var ErrNoRepository = errors.New("git finds no repository")

// Top returns the root folder of the repository that contains a folder, as a path without links.
func Top(ctx context.Context, dir string) (string, error) {
	out, err := run(ctx, dir, "rev-parse", "--show-toplevel")
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		return "", fmt.Errorf("%w (%w)", ErrNoRepository, err)
	}
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(out)
}

// Resolve returns the hash of the commit with a name.
func Resolve(ctx context.Context, dir, name string) (string, error) {
	if !plain(name) {
		return "", &UnknownError{name, dir}
	}
	out, err := run(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		return "", &UnknownError{name, dir}
	}
	if err == nil && !isHash(out) {
		err = fmt.Errorf("git names the commit %q", out)
	}
	return out, err
}

// MergeBase returns the hash of the merge base of two commits, given by their hashes.
func MergeBase(ctx context.Context, dir, a, b string) (string, error) {
	if !isHash(a) || !isHash(b) {
		return "", errors.New("a merge base needs two hashes")
	}
	out, err := run(ctx, dir, "merge-base", a, b)
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		return "", errors.New("the two revisions have no commit in common")
	}
	return out, err
}

// plain reports whether a name can name a revision. Git must not interpret any part as an option, a path or a range.
func plain(name string) bool {
	odd := func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar || r == ':' }
	return name != "" && len(name) <= maxName && name[0] != '-' && name[0] != '^' && !strings.Contains(name, "..") &&
		!strings.ContainsFunc(name, odd)
}

// isHash reports whether a text is the hash of an object.
func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && (len(raw) == 20 || len(raw) == 32)
}

// git returns a git command in a folder. The command uses no network, and runs no program that the repository configures.
func git(ctx context.Context, dir string, args ...string) *exec.Cmd {
	own := []string{"--no-replace-objects", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-C", dir}
	cmd := exec.CommandContext(ctx, "git", append(own, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // in a hook of git these variables name another repository
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"}, name)
	})
	// An older git ignores GIT_NO_LAZY_FETCH, and the configuration of a stranger may allow a protocol that runs a program. The empty list
	// in the environment overrides it.
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=")
	cmd.WaitDelay = patience
	return cmd
}

// run returns the line that git prints.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	cmd := git(ctx, dir, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{w: &out}, &bounded{w: &said}
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("reading a revision needs the program git: %w", err)
	case err != nil && said.Len() > 0:
		return "", fmt.Errorf("git: %s: %w", strings.TrimSpace(strings.TrimPrefix(firstLine(said.String()), "fatal:")), err)
	case err != nil:
		return "", fmt.Errorf("git: %w", err)
	}
	return strings.TrimRight(out.String(), "\r\n"), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// bounded keeps the beginning of its input.
type bounded struct{ w *bytes.Buffer }

// Write keeps bytes up to the limit, and discards the rest.
func (b *bounded) Write(p []byte) (int, error) {
	b.w.Write(p[:min(len(p), max(0, maxAnswer-b.w.Len()))])
	return len(p), nil
}

// Open opens a commit, by its hash, in the repository of a folder. [Revision.Close] ends the git process that reads it.
func Open(ctx context.Context, dir, name, commit string) (*Revision, error) {
	if !isHash(commit) {
		return nil, &UnknownError{cmp.Or(name, commit), dir}
	}
	ctx, stop := context.WithTimeout(ctx, maxTime)
	r := &Revision{Name: name, Commit: commit, stop: stop, folders: map[string][]entry{}}
	r.cmd = git(ctx, dir, "cat-file", "--batch")
	in, err := r.cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = r.cmd.StdoutPipe(); err == nil {
			r.in, r.out = in, bufio.NewReaderSize(out, 1<<16)
			err = r.cmd.Start()
		}
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("git: %w", err)
	}
	hash, kind, _, err := r.object(commit + "^{tree}")
	if err == nil && kind != "tree" {
		err = fmt.Errorf("%s is a %s", commit, kind)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.root = hash
	return r, nil
}

// Close ends the git process.
func (r *Revision) Close() {
	r.in.Close() //nolint:errcheck // git ends without input
	r.stop()
	r.cmd.Wait() //nolint:errcheck // nothing was written
}

// object reads an object.
func (r *Revision) object(name string) (hash, kind string, data []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		return "", "", nil, r.broken
	}
	hash, kind, data, err = r.ask(name)
	if err != nil && !errors.Is(err, errMissing) {
		r.broken = err // the next output of git would not belong to a request
	}
	return hash, kind, data, err
}

// errMissing is the error for an object that the repository does not have.
var errMissing = errors.New("the repository does not have it")

func (r *Revision) ask(name string) (hash, kind string, data []byte, err error) {
	if _, err := io.WriteString(r.in, name+"\n"); err != nil {
		return "", "", nil, fmt.Errorf("git: %w", err)
	}
	line, err := r.out.ReadSlice('\n')
	if err != nil {
		return "", "", nil, fmt.Errorf("git ended: %w", err)
	}
	words := strings.Fields(string(line))
	if len(words) == 2 && words[1] == "missing" {
		return "", "", nil, errMissing
	}
	if len(words) != 3 || !isHash(words[0]) {
		return "", "", nil, fmt.Errorf("git answers %q", strings.TrimSpace(string(line)))
	}
	size, err := strconv.Atoi(words[2])
	if r.read += size; err != nil || size < 0 || size > maxObject || r.read > maxRead {
		return "", "", nil, fmt.Errorf("it has more than %d MiB in a file, or %d MiB in total", maxObject>>20, maxRead>>20)
	}
	data = make([]byte, size+1)
	if _, err := io.ReadFull(r.out, data); err != nil {
		return "", "", nil, fmt.Errorf("git ended: %w", err)
	}
	return words[0], words[1], data[:size], nil
}

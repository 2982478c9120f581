package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/order"
)

// inFolder moves the signers into a folder of their own, and returns it.
func (b *bench) inFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(b.dir, "etc")
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, os.Rename(b.signers, filepath.Join(folder, "signers")))
	b.signers = filepath.Join(folder, "signers")
	return folder
}

// TestBounds has a value beyond each bound of an order, and files of signers that others may change.
func TestBounds(t *testing.T) {
	t.Parallel()
	allRefused(t, map[string]hostile{
		"no statement": {"no order of this form", func(s *seed) {
			s.signed = func(e *order.Envelope) { e.Statement = nil }
		}},
		"damaged signers": {"line 1: ", func(s *seed) {
			require.NoError(s.T, os.WriteFile(s.signers, []byte("alice"), 0o600))
		}},
		"a signer whose time is over": {"at this time", func(s *seed) {
			s.roleOf(s.T, `rocec-*",valid-before="20261130115959Z`)
		}},
		"a signer whose time comes": {"at this time", func(s *seed) {
			s.roleOf(s.T, `rocec-*",valid-after="20261130120001Z`)
		}},
		"folder of all": {"others than root may change", func(s *seed) {
			require.NoError(s.T, os.Chmod(s.inFolder(s.T), 0o707))
		}},
		"top of all": {"others than root may change", func(s *seed) { require.NoError(s.T, os.Chmod(s.dir, 0o707)) }},
		"folder by a link": {"others than root may change", func(s *seed) {
			folder := s.inFolder(s.T)
			require.NoError(s.T, os.Rename(folder, folder+"2"))
			require.NoError(s.T, os.Symlink(folder+"2", folder))
		}},
		"signers as a folder": {"not a regular file", func(s *seed) {
			require.NoError(s.T, os.Remove(s.signers))
			require.NoError(s.T, os.Mkdir(s.signers, 0o700))
		}},
		"a name of a run": {"names of the run", func(s *seed) { s.change.Run, s.statement.Run = "A;b", "A;b" }},
		"a long key":      {"names of the run", func(s *seed) { s.change.Key = strings.Repeat("a", 60) }},
		"a long note":     {"names of the run", func(s *seed) { s.change.Note = strings.Repeat("a", 301) }},
		"a long text": {"description", func(s *seed) {
			s.envelope.About = strings.Repeat("a", mostAbout) + "\n"
		}},
		"a long time first": {"out of bounds", func(s *seed) { s.envelope.First = mostSeconds + 1 }},
		"no time later":     {"out of bounds", func(s *seed) { s.envelope.Later = 0 }},
		"space below none":  {"out of bounds", func(s *seed) { s.change.Need = -1 }},
		"a bit of space more": {"out of bounds", func(s *seed) {
			s.change.Need = 1<<20 + 1
		}},
		"many states": {"too many", func(s *seed) {
			s.change.Lives = slices.Repeat([]order.Live{{State: "a", Query: "sonic rows"}}, order.MostOf+1)
		}},
		"many steps": {"too many", func(s *seed) {
			s.change.Steps = slices.Repeat(s.change.Steps, order.MostOf+1)
		}},
		"many contents": {"too many", func(s *seed) {
			s.envelope.Contents = slices.Repeat(s.envelope.Contents, order.MostOf+1)
		}},
		"target": {"wrong form", func(s *seed) { s.change.Files[0].Target = "x y" }},
		"a content with controls": {"is no text", func(s *seed) {
			text := []byte("a\x00")
			s.change.Files[0].Target, s.envelope.Contents = commands.Sum(text), [][]byte{text}
		}},
		"a state that is not sent": {"does not have the content", func(s *seed) {
			s.change.Steps[0].Name = "back | nic/a " + strings.Repeat("ab", 32) + " | nvue patch"
		}},
		"states in another order": {"knows no step", func(s *seed) {
			sum := commands.Sum(s.envelope.Contents[0])
			s.change.Steps[0].Name = "back | nic/b " + sum + " | nic/a " + sum + " | nvue patch"
		}},
		"back from a query": {"knows no step", func(s *seed) { s.change.Steps[0].Name = "back | sonic rows" }},
		"back from nothing": {"knows no step", func(s *seed) { s.change.Steps[0].Name = "back | cumulus restart" }},
		"a step of a host":  {"knows no step", func(s *seed) { s.change.Steps[0].Name = "mlx5 reboot" }},
		"a long name": {"knows no step", func(s *seed) {
			s.change.Steps[0].Name = longName(commands.MostName + 1)
		}},
		"a patch of more": {"concerns more than qos", func(s *seed) {
			sum := commands.Sum(nil)
			text := []byte(sum + "\n- set:\n    system: {}\n")
			s.change.Steps[0] = order.NamedStep{Name: "nvue patch " + sum + " " + sum, Stdin: commands.Sum(text)}
			s.envelope.Contents = append(s.envelope.Contents, text)
		}},
	})
}

// longName returns the name of a patch for SONiC with a number of bytes.
func longName(n int) string {
	name := "sonic patch 202505  " + commands.Sum(nil) + " " + commands.Sum(nil)
	return strings.Replace(name, "  ", " "+strings.Repeat("a", n+1-len(name))+" ", 1)
}

// TestAccepted has a value at each bound of an order, and parts that an order may lack.
func TestAccepted(t *testing.T) {
	t.Parallel()
	patch := []byte(commands.Sum(nil) + "\n- set:\n    qos: {}\n")
	for name, do := range map[string]func(b *bench, p *parts){
		"the longest times": func(_ *bench, p *parts) {
			p.statement.Until = noon.Add(order.MaxTime)
			p.envelope.First, p.envelope.Later = mostSeconds, mostSeconds
		},
		"the shortest times": func(_ *bench, p *parts) {
			p.statement.Until = noon.Add(time.Second)
			p.envelope.First, p.envelope.Later, p.change.Need = 1, 1, 0
		},
		"the longest texts": func(_ *bench, p *parts) {
			p.change.Note, p.change.Key, p.change.Need = strings.Repeat("ä", 300), strings.Repeat("a", 59), 1<<20
			p.envelope.About, p.change.Owner = strings.Repeat("a\n", mostAbout/2), strings.Repeat("a", 501)
		},
		"no texts": func(_ *bench, p *parts) {
			p.change.Note, p.change.Digest, p.envelope.About, p.change.Owner = "", "", "", ""
		},
		"modes": func(_ *bench, p *parts) {
			for _, mode := range []uint32{0o600, 0o640, 0o755} {
				f := p.change.Files[0]
				f.Mode = mode
				p.change.Files = append(p.change.Files, f)
			}
		},
		"a file that stays, whose content is not sent": func(_ *bench, p *parts) {
			p.change.Files[0].Replaces, p.change.Files[0].Check, p.envelope.Contents = false, "", nil
		},
		"a file that goes": func(_ *bench, p *parts) {
			p.change.Files[0] = order.FileChange{
				Path: "/usr/local/sbin/rocec-host", Base: strings.Repeat("ab", 32), Target: commands.Absent, Mode: 0o755, Replaces: true,
			}
		},
		"states": func(_ *bench, p *parts) {
			p.change.Lives = []order.Live{{State: "nic/a", Query: "sonic rows"}, {State: "b", Query: "mlx5 show ens1f0"}}
			p.change.Steps[0] = order.NamedStep{Name: "nvue patch", States: []int{0, 1}}
		},
		"many contents": func(_ *bench, p *parts) { p.envelope.Contents = slices.Repeat(p.envelope.Contents, order.MostOf) },
		"a patch": func(_ *bench, p *parts) {
			p.change.Steps[0] = order.NamedStep{Name: "nvue patch " + commands.Sum(nil) + " " + commands.Sum(nil), Stdin: commands.Sum(patch)}
			p.envelope.Contents = append(p.envelope.Contents, patch)
		},
		"a step that goes back": func(_ *bench, p *parts) {
			p.change.Steps[0].Name = "back | nic/a " + commands.Sum([]byte("mtu")) + " | nvue patch"
			p.envelope.Contents = append(p.envelope.Contents, []byte("mtu"))
		},
		"a step of a host": func(_ *bench, p *parts) { p.change.Steps[0].Name = "mlx5 apply ens1f0" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			p := b.sound()
			do(b, p)
			status, said := b.call(p.bytes(t), "prepare")
			require.Zero(t, status, said)
			require.NotEmpty(t, b.ran[1].stdin)
		})
	}
}

// TestKeptOther: a copy from before a run allows its own content alone.
func TestKeptOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	text := []byte("#!/bin/sh\nreboot\n")
	p.change.Files[0] = order.FileChange{
		Path: "/usr/local/sbin/rocec-host", Base: commands.Absent, Target: commands.Sum(text), Mode: 0o755, Replaces: true,
	}
	p.envelope.Contents = [][]byte{text}
	require.NoError(t, os.WriteFile(filepath.Join(b.state, "backup", "old", "3"), []byte("#!/bin/sh\n# an earlier release\n"), 0o600))
	status, said := b.call(p.bytes(t), "prepare")
	require.Equal(t, 1, status)
	require.Contains(t, said, "its content is not that")
	require.Empty(t, b.ran)
}

// TestEnds has the exit status for each kind of end: that of a script is passed on.
func TestEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for script, want := range map[string]int{"exit 7": 7, "exit 1": 1, "kill -9 $$": 1} {
		b.answer = exec.Command("sh", "-c", script).Run()
		status, said := b.call(nil, "held", good["held"][0], "run-1")
		require.Equal(t, want, status, script)
		require.Empty(t, said, "the script has said why")
	}
	b.answer = errors.New("no shell")
	status, said := b.call(nil, "held", good["held"][0], "run-1")
	require.Equal(t, 1, status)
	require.Equal(t, "rocec-fail failed\nno shell\n", said)
	b.ran = nil
	status, _ = b.call(b.sound().bytes(t), "prepare")
	require.Equal(t, 1, status)
	require.Len(t, b.ran, 1, "no run begins whose signer is not in the log")
	b.in = iotest.ErrReader(errors.New("cut off"))
	require.Equal(t, 1, b.main([]string{"prepare"}, io.Discard))
}

// endless is a stdin without an end.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.n += len(p)
	return len(p), nil
}

// TestEndless reads no more of stdin than an order may have, and refuses it.
func TestEndless(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := &endless{}
	b.in = in
	var said bytes.Buffer
	require.Equal(t, 1, b.main([]string{"prepare"}, &said))
	require.Equal(t, "rocec-fail unsigned\nthe order is larger than 48 MiB\n", said.String())
	require.Equal(t, order.MaxSize+1, in.n)
}

// TestQuery runs the command of a query as one word of the script.
func TestQuery(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	status, said := b.call(nil, "query", good["query"][0], "sonic rows")
	require.Zero(t, status, said)
	require.Contains(t, b.ran[0].script, "\nB="+good["query"][0]+"\nquery '")
	require.True(t, strings.HasSuffix(b.ran[0].script, "' ''\n"))
	for _, name := range []string{"cumulus restart", "sonic reboot", "cumulus check-traffic"} {
		status, said = b.call(nil, "query", good["query"][0], name)
		require.Equal(t, 1, status)
		require.Contains(t, said, "knows no step")
	}
	require.Len(t, b.ran, 1)
}

// TestCat prints a regular file, and no more than a byte beyond what rocec reads.
func TestCat(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var out bytes.Buffer
	b.out = &out
	name := filepath.Join(b.dir, "file")
	for _, size := range []int{0, 1, maxFile, maxFile + 1, maxFile + 2} {
		out.Reset()
		require.NoError(t, os.WriteFile(name, bytes.Repeat([]byte("x"), size), 0o600))
		require.NoError(t, b.cat([]string{name}, io.Discard))
		require.Equal(t, min(size, 1<<20+1), out.Len())
	}
	f, err := openPlain(name)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // it was only read
	flags, _, no := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	require.Zero(t, no)
	require.NotZero(t, flags&syscall.O_NONBLOCK, "without it, a pipe in place of the file stalls the gate")
	out.Reset()
	require.NoError(t, os.Symlink(name, name+".link"))
	require.NoError(t, syscall.Mkfifo(name+".pipe", 0o600))
	for _, other := range []string{name + ".link", name + ".pipe", b.dir, name + ".none", "/dev/null"} {
		require.Error(t, b.cat([]string{other}, io.Discard), other)
	}
	require.Zero(t, out.Len())
	status, said := b.call(nil, "cat", "/etc/rocec/host/none-of-test.conf")
	require.Equal(t, 1, status)
	require.Contains(t, said, "rocec-fail gate\n")
}

// TestHello names the release and each sound host key, and fails without one.
func TestHello(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var out bytes.Buffer
	b.out = &out
	for name, text := range map[string]string{"a": "ssh-ed25519", "b": "", "c": "ssh-ed25519 AAAA!! x", "x": "ssh-rsa AAAA x\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(b.keys, "ssh_host_"+name+"_key.pub"), []byte(text), 0o600))
	}
	status, said := b.call(nil, "hello")
	require.Zero(t, status, said)
	require.Equal(t, "gate dev "+b.machine+" SHA256:cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw\n", out.String())
	out.Reset()
	require.NoError(t, os.Mkdir(filepath.Join(b.keys, "ssh_host_y_key.pub"), 0o700))
	status, _ = b.call(b.sound().bytes(t), "prepare")
	require.Equal(t, 1, status, "a key that cannot be read")
	for _, keys := range []string{filepath.Join(b.dir, "state"), "["} {
		b.keys = keys
		status, _ = b.call(nil, "hello")
		require.Equal(t, 1, status, keys)
	}
	require.Zero(t, out.Len())
	require.Empty(t, b.ran)
}

// known reports whether an order of a run is refused, since the run has changed the device before.
func (b *bench) known(t *testing.T, run string) bool {
	t.Helper()
	f, _, err := b.noted(run, true)
	require.NotNil(t, f)
	require.NoError(t, f.Close())
	if err != nil {
		require.EqualError(t, err, "run "+run+" has changed this device before: a new run needs a new order")
	}
	return err != nil
}

// TestNotes has the runs that committed, each once, while the orders of their time may be good.
func TestNotes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	orders := filepath.Join(b.state, "orders")
	text := "damaged\n" + strings.Repeat("run-old 1\n", 9) + "run-late 9999999999\n"
	require.NoError(t, os.WriteFile(orders, []byte(text), 0o600))
	names := []string{"run-a", "run-b"}
	for _, name := range names {
		b.begun(t, name)
		require.NoError(t, b.use(name))
	}
	require.NoError(t, b.use("run-a"))
	data, err := os.ReadFile(orders)
	require.NoError(t, err)
	require.Equal(t, []string{"run-late", "run-b", "run-a"}, words(data))
	require.True(t, b.known(t, "run-a") && b.known(t, "run-b") && b.known(t, "run-late"))
	require.False(t, b.known(t, "run-old") || b.known(t, "damaged") || b.known(t, "run"))
	b.now = func() time.Time { return noon.Add(order.MaxTime - time.Second) }
	b.begun(t, "run-z")
	require.NoError(t, b.use("run-z"))
	require.True(t, b.known(t, "run-a"), "an order of its time may still be good")
	b.now = func() time.Time { return noon.Add(order.MaxTime) }
	require.NoError(t, b.use("run-z"))
	require.False(t, b.known(t, "run-a"))
}

// words returns the first word of each line.
func words(text []byte) (out []string) {
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		out = append(out, name)
	}
	return out
}

// TestNotesByLink writes no notes through a link, and makes a list that root alone reads.
func TestNotesByLink(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.state = filepath.Join(b.dir, "made")
	require.False(t, b.known(t, "run-1"))
	info, err := os.Stat(filepath.Join(b.state, "orders"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	victim := filepath.Join(b.dir, "victim")
	require.NoError(t, os.Rename(filepath.Join(b.state, "orders"), victim))
	require.NoError(t, os.Symlink(victim, filepath.Join(b.state, "orders")))
	b.begun(t, "run-1")
	require.ErrorContains(t, b.use("run-1"), "cannot note the run")
	data, err := os.ReadFile(victim)
	require.NoError(t, err)
	require.Empty(t, data)
}

// TestNoNotes: where the notes cannot be read, no run begins, none commits, and no gate goes.
func TestNoNotes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	begin := p.bytes(t)
	p = b.sound()
	p.change = &order.Change{Run: p.change.Run, Key: p.change.Key, Machine: b.machine, Remove: true}
	remove := p.bytes(t)
	require.NoError(t, os.Mkdir(filepath.Join(b.state, "orders"), 0o700))
	b.begun(t, "run-1")
	for _, args := range [][]string{{"prepare"}, {"call", "run-1", "ab12", "", "commit", "", ""}, {"remove"}} {
		status, _ := b.call(map[string][]byte{"prepare": begin, "remove": remove}[args[0]], args...)
		require.Equal(t, 1, status, args)
	}
	b.state = filepath.Join(b.signers, "state") // no folder is there, and none can be made
	status, _ := b.call(begin, "prepare")
	require.Equal(t, 1, status)
	require.Empty(t, b.ran)
	require.FileExists(t, b.away[0])
	closed, err := os.Open(b.dir)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.ErrorContains(t, b.note(closed, "", "run-1"), "cannot note the run", "a full disk")
}

// TestRemoveFails stops at the first file that stays.
func TestRemoveFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := b.sound()
	removal := func(run string) []byte {
		p.change = &order.Change{Run: run, Key: p.change.Key, Machine: b.machine, Remove: true}
		p.statement.Run, p.statement.Root = run, ""
		return p.bytes(t)
	}
	require.NoError(t, os.Remove(b.away[0]))
	require.NoError(t, os.MkdirAll(filepath.Join(b.away[0], "x"), 0o700))
	status, _ := b.call(removal("run-1"), "remove")
	require.Equal(t, 1, status)
	require.FileExists(t, b.away[1], "the program goes last")
	require.NoError(t, os.RemoveAll(b.away[0]))
	var out bytes.Buffer
	b.out = &out
	status, said := b.call(removal("run-2"), "remove")
	require.Zero(t, status, said)
	require.Equal(t, "OK\n", out.String())
	require.NoFileExists(t, b.away[1])
}

// TestTrusted reads a bounded part of a file.
func TestTrusted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	name := filepath.Join(b.dir, "long")
	require.NoError(t, os.WriteFile(name, nil, 0o600))
	require.NoError(t, os.Truncate(name, 8<<20+1))
	data, err := b.trusted(name)
	require.NoError(t, err)
	require.Len(t, data, 8<<20)
	_, err = b.trusted(name + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}

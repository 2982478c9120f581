package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/targets/deploy/order"
)

// verified is an order whose signature, time, device and forms are right.
type verified struct {
	envelope *order.Envelope
	change   *order.Change
	contents map[string][]byte // by SHA-256
}

// verify judges an order: the signature first, and then each value. It believes nothing that the signature does not cover, except values
// that are bounded here.
func (g *gate) verify(e *order.Envelope) (*verified, error) {
	s, err := order.ParseStatement(e.Statement)
	if err != nil {
		return nil, refuse("unsigned", "%s", err)
	}
	if err := g.signed(e); err != nil {
		return nil, err
	}
	now := g.now()
	if left := s.Until.Sub(now); left <= 0 || left > order.MaxTime {
		return nil, refuse("unsigned", "the order ends at %s, and it is %s on this device: sign again, or set its clock",
			s.Until.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	c, err := e.Leaf(s)
	if err != nil {
		return nil, refuse("unsigned", "%s", err)
	}
	machines, err := g.machines()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(machines, c.Machine) {
		return nil, refuse("unsigned", "the order is for another machine than this one, with the host key %s", brief(c.Machine))
	}
	if c.Run != s.Run {
		return nil, refuse("unsigned", "the signature is for run %s, and the change for run %s", brief(s.Run), brief(c.Run))
	}
	if err := wellFormed(e, c); err != nil {
		return nil, refuse("unsigned", "%s", err)
	}
	v := &verified{e, c, map[string][]byte{}}
	for _, content := range e.Contents {
		sum := sha256.Sum256(content)
		v.contents[hex.EncodeToString(sum[:])] = content
	}
	return v, nil
}

// signed checks the signature against the signers of this device.
func (g *gate) signed(e *order.Envelope) error {
	data, err := g.trusted(g.signers)
	if err != nil {
		return refuse("unsigned", "nobody can sign for this device: %s", err)
	}
	signers, err := sshsig.ParseSigners(data)
	if err != nil {
		return refuse("unsigned", "%s: %s", g.signers, err)
	}
	sig, err := sshsig.Parse(e.Signature)
	if err != nil {
		return refuse("unsigned", "the signature of the order is not valid: %s", err)
	}
	if _, err := signers.Find(sig, g.now()); err != nil {
		return refuse("unsigned", "%s: %s", g.signers, err)
	}
	if err := sig.Verify(e.Statement, sshsig.RoleDevice); err != nil {
		return refuse("unsigned", "the signature of the order is not valid: %s", err)
	}
	return nil
}

// alone returns an error unless root alone may change a file or folder: it and the folders above it are root's, and no other may write to
// them.
func (g *gate) alone(name string) error {
	for at := name; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != g.owner || info.Mode().Perm()&0o022 != 0 || info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("others than root may change %s", at)
		}
		if at == g.top {
			return nil
		}
	}
}

// trusted reads a file that only root can have written.
func (g *gate) trusted(name string) ([]byte, error) {
	if err := g.alone(name); err != nil {
		return nil, err
	}
	f, err := openPlain(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, 8<<20))
}

// machines returns the SHA-256 fingerprints of the host keys of this device.
func (g *gate) machines() (out []string, err error) {
	names, err := filepath.Glob(filepath.Join(g.keys, "ssh_host_*_key.pub"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(string(line))
		if len(fields) < 2 {
			continue
		}
		blob, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil {
			continue
		}
		sum := sha256.Sum256(blob)
		out = append(out, "SHA256:"+base64.RawStdEncoding.EncodeToString(sum[:]))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("this device has no host key in %s", g.keys)
	}
	return out, nil
}

// The forms of values in an order.
var (
	isNote   = form(`([^\pC]{1,300})?`)
	isLines  = form(`[^\pC]*`)
	isTarget = form(`absent|[0-9a-f]{64}`)
	isState  = form(`[A-Za-z0-9_][A-Za-z0-9_.@:%-]{0,63}(/[A-Za-z0-9_][A-Za-z0-9_.@:%-]{0,63})?`)
	modes    = []uint32{0o600, 0o640, 0o644, 0o755}
)

// mostAbout is the longest description of a run, with a line for each change.
const mostAbout = 1 << 20

// mostSeconds is the longest time of a timer: a change may wait 30 days for a person, and a margin.
const mostSeconds = 40 * 24 * 3600

// wellFormed checks the form of each value, since all of them become parts of files that root reads.
func wellFormed(e *order.Envelope, c *order.Change) error {
	switch {
	case !isRun(c.Run) || !isKey(c.Key) || !isGiven(c.Digest) || !isNote(c.Note):
		return errors.New("the names of the run have a wrong form")
	case !isText(e.Owner) || len(e.About) > mostAbout || !isLines(strings.ReplaceAll(e.About, "\n", "")):
		return errors.New("the description of the run has a wrong form")
	case e.First < 1 || e.First > mostSeconds || e.Later < 1 || e.Later > mostSeconds || c.Need < 0 || c.Need > 1<<20:
		return errors.New("its times or sizes are out of bounds")
	case max(len(c.Files), len(c.Lives), len(c.Steps), len(e.Contents)) > order.MostOf:
		return errors.New("it has too many parts")
	}
	for _, f := range c.Files {
		if !isTarget(f.Base) || !isTarget(f.Target) || !slices.Contains(modes, f.Mode) {
			return fmt.Errorf("the change of %q has a wrong form", brief(f.Path))
		}
	}
	for _, l := range c.Lives {
		if !isState(l.State) {
			return fmt.Errorf("the live state %q has a wrong form", brief(l.State))
		}
	}
	for _, s := range c.Steps {
		for _, n := range s.States {
			if n < 0 || n >= len(c.Lives) {
				return errors.New("a step names a live state that is not there")
			}
		}
	}
	return nil
}

// noted locks the list of the runs that have committed here, a line "RUN SECONDS" each, until the orders of their time are over. It returns
// the lines of other runs, and whether the run has a line. The list stays locked until f is closed, so that of two calls one comes first.
func (g *gate) noted(run string) (f *os.File, others string, there bool, err error) {
	f, err = os.OpenFile(filepath.Join(g.state, "orders"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, "", false, err
	}
	var data []byte
	if err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err == nil { //nolint:gosec // a small number
		data, err = io.ReadAll(f)
	}
	for line := range strings.Lines(string(data)) {
		var name string
		var until int64
		n, _ := fmt.Sscanf(line, "%s %d\n", &name, &until)
		there = there || name == run
		if n == 2 && name != run && until > g.now().Unix() {
			others += line
		}
	}
	return f, others, there, err
}

// first locks the list for an order, and refuses the order of a run that has a line.
func (g *gate) first(run string) (f *os.File, others string, err error) {
	if err := os.Mkdir(g.state, 0o755); err != nil && !os.IsExist(err) {
		return nil, "", err
	}
	f, others, used, err := g.noted(run)
	if err == nil && used {
		err = refuse("unsigned", "run %s has changed this device before: a new run needs a new order", run)
	}
	return f, others, err
}

// use notes that a run commits.
func (g *gate) use(run string) error {
	if _, err := os.Lstat(filepath.Join(g.state, "txn-"+run)); err != nil {
		return refuse("gone", "the device holds nothing of run %s", run)
	}
	f, others, _, err := g.noted(run)
	if err != nil {
		return refuse("no-space", "cannot note the run: %s", err)
	}
	defer f.Close() //nolint:errcheck // Sync has said it
	return g.note(f, others, run)
}

// note writes a run and the others into the list.
func (g *gate) note(f *os.File, others, run string) error {
	text := fmt.Appendf(nil, "%s%s %d\n", others, run, g.now().Add(order.MaxTime).Unix())
	_, err := f.WriteAt(text, 0)
	if err == nil {
		err = errors.Join(f.Truncate(int64(len(text))), f.Sync())
	}
	if err != nil {
		return refuse("no-space", "cannot note the run: %s", err)
	}
	return nil
}

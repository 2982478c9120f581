//go:build linux

package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/deploy/internal/nspawn"
)

// The times of a cell on a quiet machine. slowed lengthens them for a device that booted more slowly. The time limit of a step is longer
// than the step. A dead-man's switch waits less than two minutes, but longer than rocec needs to read a device and to confirm.
const (
	deadMan  = 15 * time.Second
	stepTime = 20 * time.Second
)

// rocec returns the binary that the tests of all packages share. Its environment shortens its times.
func rocec(t testing.TB) string {
	t.Helper()
	nspawn.Image(t) // skips the test with -short
	return machinetest.Rocec(t)
}

func TestMain(m *testing.M) {
	machinetest.Parallel(50) // the number of running devices limits the tests
	status := m.Run()
	if err := os.RemoveAll(gateFolder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	if *write != "" {
		if err := writeTables(*write); err != nil {
			fmt.Fprintln(os.Stderr, err)
			status = 1
		}
	}
	os.Exit(status)
}

// operator is a person at a machine with rocec and a fabric that describes one device.
type operator struct {
	bin    string
	dir    string // contains home/ and fabric/
	device string // its name in the fabric
	env    []string
}

// newOperator returns an operator for a device. The caller must remove its dir after use.
func newOperator(bin string, d *nspawn.Device) (*operator, error) {
	dir, err := os.MkdirTemp("", "rocec-operator-")
	if err != nil {
		return nil, err
	}
	o := &operator{bin: bin, dir: dir, device: d.Name}
	o.env = []string{
		"HOME=" + dir + "/home", "PATH=" + os.Getenv("PATH"), "COLUMNS=1000", "ROCEC_TEST_DEADMAN=" + d.Slowed(deadMan).String(),
		"ROCEC_TEST_STEP=" + d.Slowed(stepTime).String(), "ROCEC_TEST_SOAK=0s",
	}
	for name, text := range map[string]string{
		"home/.ssh/config":  "IdentityFile " + d.Key.Path + "\n",
		"fabric/fabric.hcl": fabric(d),
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	return o, nil
}

// classes contains the intents and classes of a fabric whose hosts are gpu.
const classes = `variable "weight" {
  default = 60
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = var.weight
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 100 - var.weight
}

roce "train" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
`

// fabric describes the device and, at the other end of a cable, a device that does not answer.
func fabric(d *nspawn.Device) string {
	ssh := func(addr, user string, port int) string {
		return fmt.Sprintf("  ssh {\n    address = %q\n    port = %d\n    user = %q\n    host_key = %q\n  }\n",
			addr, port, user, d.HostKey.Fingerprint)
	}
	nobody := ssh("127.0.0.1", "admin", 1)
	tor, gpu, version := nobody, nobody, "4.3.0"
	switch d.Kind {
	case nspawn.Host:
		gpu = ssh(d.Addr, d.User, 22)
	case nspawn.Switch37:
		version = "3.7.12"
		fallthrough
	default:
		tor = ssh(d.Addr, d.User, 22)
	}
	return `fabric "rack" { mtu = 9216 }

` + classes + `
switch "tor" {
  names   = "tor1"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "` + version + `"
  tier    = 1
` + tor + `}

host "gpu" {
  names = "gpu1"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
` + gpu + `}

link "rack" {
  a      = "gpu1:ens1f0"
  b      = "tor1:swp1"
  speed  = "25G"
  length = "3m"
}
`
}

// set sets a variable of the operator's environment.
func (o *operator) set(name, value string) {
	o.unset(name)
	o.env = append(o.env, name+"="+value)
}

func (o *operator) unset(name string) {
	o.env = slices.DeleteFunc(o.env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
}

func (o *operator) close() error { return os.RemoveAll(o.dir) }

// another returns a second operator with a separate journal.
func (o *operator) another(d *nspawn.Device) (*operator, error) { return newOperator(o.bin, d) }

// command returns a rocec command that is killed when ctx ends.
func (o *operator) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, o.bin, args...)
	cmd.Env = o.env
	cmd.Dir = o.dir + "/fabric"
	cmd.WaitDelay = time.Second
	return cmd
}

// ran is the result of a rocec command: its exit status (-1: killed) and its output.
type ran struct {
	args   []string
	status int
	out    string
	errs   string
}

func (r *ran) String() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("rocec %s: exit status %d\n%s%s", strings.Join(r.args, " "), r.status, r.out, r.errs)
}

// under is a running rocec.
type under struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when rocec has ended
	ran  *ran
	err  error // of this machine
}

func (u *under) signal(s syscall.Signal) error { return u.cmd.Process.Signal(s) }

// wait waits for the end of rocec.
func (u *under) wait() (*ran, error) {
	<-u.done
	return u.ran, u.err
}

// start starts rocec.
func (o *operator) start(ctx context.Context, args ...string) (*under, error) {
	cmd := o.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	u := &under{cmd: cmd, done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(u.done)
		err := cmd.Wait()
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			u.err = err
		}
		u.ran = &ran{args: args, status: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String()}
	}()
	return u, nil
}

// run runs rocec to its end.
func (o *operator) run(ctx context.Context, args ...string) (*ran, error) {
	u, err := o.start(ctx, args...)
	if err != nil {
		return nil, err
	}
	return u.wait()
}

// The verbs for cells: for only one device, without questions.
func (o *operator) apply(more ...string) []string {
	return append([]string{"apply", "--auto-approve", "--assume-peer-ready", "--format", "json", "--target", o.device}, more...)
}

func (o *operator) plan() []string {
	return []string{"plan", "--detailed-exitcode", "--assume-peer-ready", "--target", o.device}
}

func (o *operator) unlock() []string {
	return []string{"resume", "--abandon", "--auto-approve", o.device}
}

// fate is the report of rocec on the device: the event "device" of apply and similar verbs.
type fate struct {
	Event   string `json:"event"`
	Device  string `json:"device"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
	Run     string `json:"run"`
	Result  struct {
		Files []struct {
			Path  string `json:"path"`
			Holds string `json:"holds"`
			InUse string `json:"in_use"`
		} `json:"files"`
		Left  []string `json:"left"`
		Until int      `json:"until_seconds"`
		Undo  string   `json:"undo"`
	} `json:"result"`
	Summary map[string]int `json:"summary"`
}

// fate parses the report of the device; nil: rocec did not report the device.
func (r *ran) fate() (*fate, error) {
	var found *fate
	for line := range strings.Lines(r.out) {
		var f fate
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return nil, fmt.Errorf("not JSON: %q", line)
		}
		if f.Event == "device" {
			found = &f
		}
	}
	return found, nil
}

// runName returns the run that a rocec has begun, by the journal; empty: none.
func (o *operator) runName() (string, error) {
	names, err := o.runNames()
	if len(names) == 0 {
		return "", err
	}
	return names[len(names)-1], err
}

// runNames returns the names of all runs, in the order of their start. The names contain the start time in seconds.
func (o *operator) runNames() ([]string, error) {
	files, err := filepath.Glob(o.dir + "/home/.local/state/rocec/runs/*.jsonl")
	if err != nil {
		return nil, err
	}
	began := map[string]time.Time{}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".jsonl")
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		if m := beganAt.FindSubmatch(text); m != nil { // there is none in a journal that was cut off in its first line
			if began[files[i]], err = time.Parse(time.RFC3339Nano, string(m[1])); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return began[a].Compare(began[b]) })
	return files, nil
}

var beganAt = regexp.MustCompile(`^\{[^\n]*"began":"([^"]*)"`)

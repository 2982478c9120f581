package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
)

// mostLogins is the number of failed logins after which no further device is asked. More could lock the account.
const mostLogins = 3

// statusMark begins the line after an answer, which has the exit status of its command.
const statusMark = "rocec-status "

// noFile is the exit status of a question about a missing file.
const noFile = 66

// queriesTo returns all questions to a device as queries. Their answers are in all after the device was asked.
func queriesTo(device string) (q *session.Queries, all []answered) {
	var queries []target.Query
	for _, one := range append([]targets.Question{aboutIt}, targets.Questions()...) {
		all, queries = append(all, answered{question: one, status: -1}), append(queries, target.Query{Cmd: command(one.Cmd)})
	}
	q = &session.Queries{}
	q.Add(device, queries, func(answers []session.Reply) {
		for i, a := range answers {
			all[i].text, all[i].status = split(a.Text)
		}
	})
	return q, all
}

// aboutIt asks for the name and the clock of a device.
var aboutIt = targets.Question{Question: target.Question{Cmd: "hostname; date +%s"}}

// answered is a question with its answer.
type answered struct {
	question targets.Question
	text     []byte
	status   int // exit status of the command; -1: no answer
}

// ofHosts reports whether the question is only for hosts.
func (a *answered) ofHosts() bool { return slices.Equal(a.question.To, []string{targets.Hosts}) }

// ofSwitches reports whether a device that answers the question is a switch.
func (a *answered) ofSwitches() bool {
	return !slices.Contains(a.question.To, targets.Hosts) && !targets.AnyLinux(a.question.File)
}

// DeviceTime is the default time limit of a device. It allows for several commands that hang.
const DeviceTime = 5 * time.Minute

// mostTime is the time limit of a question in seconds. It is less than the limit of a read for one command, which would fail the whole
// device.
const mostTime = 20

// command returns the command of a question. It prints the exit status after the answer, and never fails.
func command(cmd string) string {
	if path, is := strings.CutPrefix(cmd, "cat /"); is && !strings.ContainsAny(path, " \n") {
		cmd = fmt.Sprintf("if ! [ -e /%s ]; then exit %d; fi\n%s", path, noFile, cmd)
	}
	return fmt.Sprintf("timeout %d sh -c %s\nprintf '\\n"+statusMark+"%%s\\n' $?", mostTime, nic.Quote(cmd))
}

// split separates an answer from its exit status.
func split(answer []byte) (text []byte, status int) {
	at := bytes.LastIndex(answer, []byte("\n"+statusMark))
	if at < 0 {
		return nil, -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(answer[at+1+len(statusMark):])))
	if err != nil {
		return nil, -1
	}
	return answer[:at], n
}

// Asking contains the options of asking devices.
type Asking struct {
	Dial     target.Dial
	Read     rollout.ObserveOptions
	Guarded  bool // no login is known to work: after three failures no further device is asked
	Now      func() time.Time
	Progress func(done, total int) // one call at a time
	Save     func() error          // called from time to time, and at the end
}

// mostUnsaved is the number of answering devices after which the collection is saved.
const mostUnsaved = 96

// Ask asks devices, and adds their answers. For a device that cannot be asked, the collection contains the reason. The error is the error
// of Save.
func (c *Collection) Ask(ctx context.Context, devices []*target.Device, o Asking) (err error) {
	var (
		g       errgroup.Group
		mu      sync.Mutex
		done    int
		unsaved int
		gate    = newGate(o)
	)
	g.SetLimit(max(1, o.Read.Parallel))
	for _, like := range devices {
		g.Go(func() error {
			of := &target.Device{Name: like.Name, Login: like.Login, Role: target.Host}
			q, answers := queriesTo(of.Name)
			defer q.Close()
			when := o.Now()
			have := gate.read(ctx, of, q, o)
			mu.Lock()
			defer mu.Unlock()
			if ctx.Err() != nil { // the answer may be incomplete
				return nil
			}
			c.answer(of, have, answers, when)
			done, unsaved = done+1, unsaved+1
			o.Progress(done, len(devices))
			if unsaved >= mostUnsaved && err == nil {
				err, unsaved = o.Save(), 0
			}
			return nil
		})
	}
	_ = g.Wait() // no device returns an error
	return errors.Join(err, o.Save())
}

// gate bounds the logins under way to the number of logins that may still fail.
type gate struct {
	free    chan struct{} // nil: logins are not counted
	stopped chan struct{} // closed when too many have failed
	mu      sync.Mutex
	failed  []string
}

func newGate(o Asking) *gate {
	g := &gate{stopped: make(chan struct{})}
	if o.Guarded {
		g.free = make(chan struct{}, mostLogins)
		for range mostLogins {
			g.free <- struct{}{}
		}
	}
	return g
}

// read asks one device.
func (g *gate) read(ctx context.Context, of *target.Device, q *session.Queries, o Asking) *deploy.Have {
	dial := o.Dial
	if g.free != nil {
		select {
		case <-g.stopped:
			return g.notAsked(of)
		default:
		}
		select {
		case <-g.free:
		case <-g.stopped:
			return g.notAsked(of)
		case <-ctx.Done():
			return g.notAsked(of)
		}
		dialled := false
		defer func() {
			if !dialled { // the dialer was not called
				g.free <- struct{}{}
			}
		}()
		dial = func(ctx context.Context, d *target.Device) (target.Conn, error) {
			conn, err := o.Dial(ctx, d)
			if dialled {
				return conn, err
			}
			dialled = true
			g.end(d, err)
			return conn, err
		}
	}
	read := o.Read
	read.Progress = nil
	return q.Ask(ctx, dial, &target.Tree{Devices: []*target.Device{of}}, read)[0]
}

// end records the result of a login.
func (g *gate) end(d *target.Device, err error) {
	login, key := (*target.LoginError)(nil), (*target.HostKeyError)(nil)
	if !errors.As(err, &login) || errors.As(err, &key) { // the device did not ask for a login
		g.free <- struct{}{}
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed = append(g.failed, d.Name); len(g.failed) == mostLogins {
		close(g.stopped)
	}
}

func (g *gate) notAsked(of *target.Device) *deploy.Have {
	g.mu.Lock()
	defer g.mu.Unlock()
	text := "it was not asked, as " + diag.Count(len(g.failed), "login") + " failed: " + diag.And(g.failed)
	return &deploy.Have{Device: of, Err: &deploy.Error{Kind: deploy.Unreachable, Device: of, Detail: text}}
}

// answer adds the answers of a device.
func (c *Collection) answer(of *target.Device, have *deploy.Have, all []answered, when time.Time) {
	c.remove(of.Name)
	d := c.device(of.Name)
	if c.logins == nil {
		c.logins = map[string]target.Login{}
	}
	c.logins[of.Name] = of.Login
	d.Address, d.When = of.Login.Address, when.UTC().Truncate(time.Second)
	if have.Err != nil {
		d.Failed = diag.Escape(deploy.OneLine(have.Err.Detail))
		return
	}
	if host, clock, ok := strings.Cut(strings.TrimSpace(string(all[0].text)), "\n"); ok && all[0].status == 0 {
		if snapshot.ValidName(host) {
			d.Host = host
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(clock), 10, 64); err == nil {
			d.Clock = int(n - when.Unix())
		}
	}
	isSwitch := false
	for _, a := range all[1:] {
		one := snapshot.Answer{File: of.Name + "/" + a.question.File}
		switch {
		case a.status == noFile, a.status == 127: // the device has another system
			continue
		case a.ofHosts() && isSwitch: // ports of a switch look like NICs
			continue
		case a.status != 0:
			one.Failed = says(a.status)
		case len(bytes.TrimSpace(a.text)) == 0:
			continue
		default:
			c.command(a.question)
			err := c.put(d, one, a.text)
			if isSwitch = isSwitch || err == nil && a.ofSwitches(); err == nil || errors.Is(err, targets.ErrOther) {
				continue
			}
			one.Failed = err.Error()
		}
		d.Answers = append(d.Answers, one)
	}
	if len(d.Answers) == 0 {
		d.Failed = "it answers no question of rocec: it has no file or command of a system that rocec knows"
	}
}

// command notes the command of a question.
func (c *Collection) command(q targets.Question) {
	if c.Manifest.Commands == nil {
		c.Manifest.Commands = map[string]string{}
	}
	c.Manifest.Commands[q.File] = q.Cmd
}

// says returns the text for an exit status.
func says(status int) string {
	switch status {
	case -1:
		return "there was no answer"
	case 124:
		return fmt.Sprintf("it took longer than %d seconds", mostTime)
	}
	return fmt.Sprintf("exit status %d", status)
}

// Package session manages the connections and the journal of a verb that works on devices. A [Session] reads the journal of runs
// ([History]), connects to devices ([Fleet]), and does a [Job] on them. It resumes an [OpenedRun], and rolls a run back ([WayBack]). It
// reports to the person. It defines no flags, but the options that flags fill.
package session

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/user"
	"time"

	"github.com/rocec/rocec/cmd/internal/auditlog"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/hooks"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/rights"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// Session contains the state of a verb that works on devices.
type Session struct {
	History
	AskSudo bool                 // --ask-sudo-password
	Site    rights.Named         // --policy, --sign-key, --audit-log
	Changed []string             // flags of the command line, with their dashes
	OfSite  string               // the session has the keys of this site of a team alone; empty: of all devices
	Listen  func(journal.Notice) // gets each line that is written to a journal; nil: nothing listens
	Output  int                  // limit of bytes that a device prints for one read; 0: [ssh.DefaultMaxOutput]
	clock   device.Clock
	sudo    *device.Sudo              // the password, after the person has typed it
	rights  map[bool]*rights.Rights   // for rehearsals, and for real devices; once they were read
	feeds   map[string]*auditlog.Feed // of central records, by their URLs; once they were needed
}

// New returns a session without connections.
func New(g *globals.Globals, clock device.Clock) *Session {
	return &Session{History: History{g}, clock: clock, rights: map[bool]*rights.Rights{}, feeds: map[string]*auditlog.Feed{}}
}

// History contains the runs that were started on this machine.
type History struct{ *globals.Globals }

// hooks runs the programs of --drain and --undrain.
func (s *Session) hooks() hooks.Runner { return hooks.Runner{Log: s.Log, Say: s.Say} }

// NewRun returns a name for a run, from the person, the process and the time.
func (s *Session) NewRun() deploy.Run {
	unique := make([]byte, 8)
	rand.Read(unique) //nolint:errcheck // it never fails
	run := deploy.NewRun(s.clock.Now(), hex.EncodeToString(unique), s.Owner())
	run.Tool = s.Rocec.Tool
	return run
}

// HostName returns the name of this machine.
func HostName() string {
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}

// Reading returns the options of a read, with progress; end ends the progress.
func (s *Session) Reading() (o rollout.ObserveOptions, end func()) {
	bar := s.Progress("Reading", false)
	o.Sudo = s.sudo
	o.Progress = func(done, total int, h *deploy.Have) {
		if h.Err != nil {
			s.Log.Info("read", "device", h.Device.Name, "error", h.Err.Detail)
		} else {
			s.Log.Info("read", "device", h.Device.Name)
		}
		bar.Step(done, total)
	}
	return o, bar.End
}

// LoginName returns the user who runs rocec.
func LoginName(getenv func(string) string) string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return getenv("USER")
}

// Owner returns a name of this process for other people.
func (s *Session) Owner() string {
	host, _ := os.Hostname() // empty where the machine does not know it
	return deploy.Process{User: LoginName(s.Getenv), Host: host, PID: os.Getpid()}.String()
}

// ReadOptions contains the flags of verbs that read devices; the zero value has their defaults.
type ReadOptions struct {
	Parallel int
	Timeout  time.Duration
}

// Limit sets the bounds of a read.
func (o *ReadOptions) Limit(to *rollout.ObserveOptions) {
	to.Parallel, to.Timeout = o.Parallel, o.Timeout
}

// Check refuses invalid flags.
func (o *ReadOptions) Check() error {
	if o.Parallel < 1 || o.Timeout <= 0 {
		return exit.Fail(exit.Usage, "--parallel must be at least 1, and --timeout more than 0, such as 30s")
	}
	return nil
}

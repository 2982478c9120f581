package deploy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rocec/rocec/lang/diag"
)

// planFormat is the version of the plan file. Fields are added, and never renamed. A 1.0 file contained the values of variables.
const planFormat = "2.0"

// MaxPlanFile bounds the size of a plan file.
const MaxPlanFile = 128 << 20

// Meta identifies the inputs of a plan. The caller fills it in for the plan and again for its apply, and compares both, because an apply
// uses no input from a plan file. Meta contains names and hashes, and no values.
type Meta struct {
	Tool        string   `json:"tool"`        // version of rocec
	Fabric      string   `json:"fabric"`      // the fabric's folder
	Inputs      string   `json:"inputs"`      // SHA-256 over every file of the fabric and every value of a variable
	Variables   []string `json:"variables"`   // names of the variables of --var, sorted
	Environment []string `json:"environment"` // names of the variables that the environment sets, sorted
	VarFiles    []string `json:"var_files"`   // names of --var-file, in order
	Targets     []string `json:"targets"`     // of --target

	AdoptDerived bool `json:"adopt_derived,omitempty"` // of --adopt-derived

	Terms *Terms `json:"terms,omitempty"`
}

// Terms are the parts of a plan that persons agree to, beside its contents.
type Terms struct {
	Name      string    `json:"name"`              // of the fabric
	Commit    string    `json:"commit,omitempty"`  // of the repository that contains the fabric; "+" at its end: with changes
	Message   string    `json:"message,omitempty"` // why
	Made      time.Time `json:"made"`              // UTC
	Expires   time.Time `json:"expires"`           // UTC
	Nonce     string    `json:"nonce"`             // that no other plan has
	Approvals int       `json:"approvals"`         // persons who have to approve the plan
	Waves     []string  `json:"waves"`             // the devices of each wave, as nodesets
	Disrupts  []string  `json:"disrupts"`          // interruptions of traffic, each with its devices
	Takes     int       `json:"takes_seconds"`     // at most, without failures

	Shares []TermShare `json:"shares,omitempty"` // of the sites of a team, in the order in which they work; they split the waves
	Holds  []TermHold  `json:"holds,omitempty"`  // waves of a team that wait for approvals
}

// TermShare is what one site of a team does of a plan.
type TermShare struct {
	Site  string `json:"site"`
	Waves int    `json:"waves"`           // how many of the waves of the plan, after those of the shares before
	Steps int    `json:"steps,omitempty"` // of the change of the site; the share is the first step; 0: one step
}

// TermHold is a wave that begins after approvals alone.
type TermHold struct {
	Wave          int `json:"wave"` // from 1
	Approvals     int `json:"approvals"`
	WithinSeconds int `json:"within_seconds"` // from the end of the wave before
}

// Wants returns the number of approvals that the plan wants.
func (t *Terms) Wants() int {
	if t == nil {
		return 0
	}
	return t.Approvals
}

// WaveName returns the name of a wave of the plan: SITE/N in a plan of a team, and else its number.
func (t *Terms) WaveName(wave int) string {
	left := wave
	for _, s := range t.Shares {
		if left <= s.Waves {
			return s.Site + "/" + strconv.Itoa(left)
		}
		left -= s.Waves
	}
	return strconv.Itoa(wave)
}

// Bounds of the terms of a plan for a team. A person signs the terms and can write what rocec never would, and each reader of the queue
// counts the waves.
const (
	mostWaves  = 10_000
	mostWithin = 90 * 24 * 60 * 60 // seconds: no plan is valid for longer
)

// splits refuses terms whose shares do not split the waves among different sites, or whose holds are not before one of the waves.
func (t *Terms) splits() error {
	if t == nil || len(t.Shares)+len(t.Holds) == 0 {
		return nil
	}
	if len(t.Waves) > mostWaves {
		return fmt.Errorf("the plan has %d waves, and a plan of a team has at most %d", len(t.Waves), mostWaves)
	}
	sites, left := map[string]bool{}, len(t.Waves)
	for _, s := range t.Shares {
		switch {
		case sites[s.Site]:
			return fmt.Errorf("the plan has two shares of the site %s", s.Site)
		case s.Waves < 1 || s.Waves > len(t.Waves):
			return fmt.Errorf("the share of the site %s has %d waves, and the plan has %d", s.Site, s.Waves, len(t.Waves))
		}
		sites[s.Site] = true
		left -= s.Waves
	}
	if left != 0 {
		return fmt.Errorf("the plan has %d waves, and its sites have %d", len(t.Waves), len(t.Waves)-left)
	}
	held := map[int]bool{}
	for _, h := range t.Holds {
		switch {
		case h.Wave < 1 || h.Wave > len(t.Waves):
			return fmt.Errorf("the plan holds wave %d, and has %d", h.Wave, len(t.Waves))
		case held[h.Wave]:
			return fmt.Errorf("the plan holds wave %s twice", t.WaveName(h.Wave))
		case h.Approvals < 1 || h.WithinSeconds < 0 || h.WithinSeconds > mostWithin:
			return fmt.Errorf("the plan holds wave %s for %d approvals within %d seconds: a hold wants at least one, within 90 days at most",
				t.WaveName(h.Wave), h.Approvals, h.WithinSeconds)
		}
		held[h.Wave] = true
	}
	return nil
}

// EnvPrefix is the prefix of environment variables that set variables of the fabric.
const EnvPrefix = "ROCEC_VAR_"

// EnvironmentNames returns the names of Environment with the prefix.
func (m *Meta) EnvironmentNames() []string {
	out := make([]string, 0, len(m.Environment))
	for _, name := range m.Environment {
		out = append(out, EnvPrefix+name)
	}
	return out
}

// Saved is the content of a plan file: hashes to compare with the devices, without content or commands. An apply computes files and
// commands again from the fabric that the person names. So a plan file can only forbid a change, and never add one. Digest detects
// accidents: a truncated or edited file. It is not a signature, because it has no key: a person who can write the file can also write a
// matching digest.
type Saved struct {
	FormatVersion string `json:"format_version"`
	Meta
	Devices []SavedDevice `json:"devices"`
	Digest  string        `json:"digest"` // SHA-256 of the file with this field empty
}

// SavedDevice is one device of a [Saved] plan.
type SavedDevice struct {
	Name    string      `json:"name"`
	HostKey string      `json:"host_key"` // fingerprint of its host key, see [target.Conn]; empty: not reached
	Status  Status      `json:"status"`
	Files   []SavedFile `json:"files"`
}

// SavedFile is one file or live state of a [SavedDevice]: its SHA-256 before and after, or "absent".
type SavedFile struct {
	Path   string `json:"path"`
	Base   string `json:"base"`
	Target string `json:"target"`
}

// SavePlan writes a plan in its canonical form, so equal plans have equal bytes. It refuses what [Plan.Saved] refuses.
func SavePlan(w io.Writer, p *Plan, m Meta) error {
	devices, err := p.Saved()
	if err != nil {
		return err
	}
	_, err = w.Write(NewSaved(devices, m).Bytes())
	return err
}

// NewSaved returns a saved plan with devices and inputs.
func NewSaved(devices []SavedDevice, m Meta) *Saved {
	s := &Saved{FormatVersion: planFormat, Meta: m, Devices: devices}
	s.Digest = s.digest()
	return s
}

// Saved returns the devices of a plan as a plan file has them. It refuses a plan if a device was read and its host key is not known.
func (p *Plan) Saved() (out []SavedDevice, err error) {
	for _, d := range p.Devices {
		if d.wasRead() && d.HostKey == "" {
			return nil, fmt.Errorf("the host key of %s is not known, and an apply of a saved plan compares host keys: the ssh program of this "+
				"machine is older than OpenSSH 8.5 and does not report it. Install a newer one, or set transport = \"native\" in the ssh block "+
				"of the device", d.Device.Name)
		}
		sd := SavedDevice{Name: d.Device.Name, HostKey: d.HostKey, Status: d.Status}
		for _, f := range d.Files {
			sd.Files = append(sd.Files, SavedFile(f))
		}
		out = append(out, sd)
	}
	return out, nil
}

// wasRead reports whether a plan contains the content of the device.
func (d *DevicePlan) wasRead() bool {
	return len(d.Files) > 0 || d.Status == StatusChange || d.Status == StatusSame
}

// Bytes returns the bytes of the plan file, which signatures cover.
func (s *Saved) Bytes() []byte { return s.encode() }

// encode returns the canonical bytes.
func (s *Saved) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s); err != nil {
		panic("deploy: " + err.Error()) // all fields are strings, so this cannot fail
	}
	return b.Bytes()
}

func (s *Saved) digest() string {
	bare := *s
	bare.Digest = ""
	h := sha256.Sum256(bare.encode())
	return hex.EncodeToString(h[:])
}

// LoadPlan reads a plan file. It refuses a file of another format, a file that differs in any byte from the output of [SavePlan], and one
// whose sites do not split its waves.
func LoadPlan(r io.Reader) (*Saved, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxPlanFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxPlanFile {
		return nil, errors.New("the plan file is larger than 128 MiB")
	}
	if !plausible(data) {
		return nil, errNotAsWritten
	}
	var s Saved
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("this is not a plan file of rocec: %s", diag.Escape(err.Error()))
	}
	if s.FormatVersion != planFormat {
		return nil, fmt.Errorf("the plan file has format %q, this rocec reads %q: make the plan again", s.FormatVersion, planFormat)
	}
	if s.Digest != s.digest() || !bytes.Equal(data, s.encode()) {
		return nil, errNotAsWritten
	}
	names := make(map[string]bool, len(s.Devices))
	for _, d := range s.Devices {
		if names[d.Name] {
			return nil, fmt.Errorf("the plan file has the device %q twice: make the plan again", diag.Cut(d.Name))
		}
		names[d.Name] = true
	}
	if err := s.Terms.splits(); err != nil {
		return nil, fmt.Errorf("%w: make the plan again", err)
	}
	return &s, nil
}

var errNotAsWritten = errors.New("the plan file was changed after it was written, or is cut short: make the plan again")

// Lower limits for a plan file: bytes for each object of its devices, and for each comma between them. The options of the person's
// command are within the first maxPlanHead bytes.
const (
	minPlanObject = 40
	minPlanComma  = 12
	maxPlanHead   = 4 << 20
)

// plausible reports whether [SavePlan] may have written a file. It runs before the file is decoded, because a hostile file of 128 MiB
// would become gigabytes of empty devices or names.
func plausible(data []byte) bool {
	head, devices, ok := bytes.Cut(data, []byte("\n \"devices\": ")) // no string of JSON contains a line break
	return len(head) <= maxPlanHead && (ok || len(data) <= maxPlanHead) &&
		bytes.Count(devices, []byte("{"))*minPlanObject <= len(devices) && bytes.Count(devices, []byte(","))*minPlanComma <= len(devices)
}

// MovedError names the devices that differ from a saved plan.
type MovedError struct {
	Devices []string // in the plan's order
	Reasons []string // one reason for each device
}

// Error lists the first few devices with their reasons.
func (e *MovedError) Error() string {
	const most = 10
	var b strings.Builder
	b.WriteString("the saved plan no longer fits:")
	for i, d := range e.Devices {
		if i == most {
			fmt.Fprintf(&b, " and %d more devices;", len(e.Devices)-most)
			break
		}
		fmt.Fprintf(&b, " %s: %s;", d, e.Reasons[i])
	}
	return strings.TrimSuffix(b.String(), ";") + ". Nothing was changed; make the plan again."
}

// Matches compares a new plan with the saved one. Both must have the same devices, with the same contents before and after. A device that
// already has the content of the saved plan matches, too, so that a second apply of a plan does nothing. The error is a [*MovedError].
func (p *Plan) Matches(s *Saved) error {
	e := &MovedError{}
	moved := func(name, format string, args ...any) {
		e.Devices = append(e.Devices, name)
		e.Reasons = append(e.Reasons, fmt.Sprintf(format, args...))
	}
	saved := make(map[string]*SavedDevice, len(s.Devices))
	for i := range s.Devices {
		saved[s.Devices[i].Name] = &s.Devices[i]
	}
	for _, d := range p.Devices {
		name := d.Device.Name
		was, ok := saved[name]
		delete(saved, name)
		switch {
		case !ok:
			moved(name, "is not in the plan")
		case was.HostKey != "" && d.HostKey != "" && was.HostKey != d.HostKey:
			moved(name, "answers with another host key than when the plan was made (%s, then %s)", d.HostKey, diag.Escape(was.HostKey))
		case d.ByOthers(): // the apply does not change the device, whatever its content is
		case was.Status == StatusUnreachable || was.Status == StatusRefused:
			if d.Status == StatusChange {
				moved(name, "was %s then, and would be changed now", was.Status)
			}
		case d.Err != nil:
			moved(name, "could be read then, and is %s now (%s)", d.Status, d.Err.Detail)
		case d.wasRead() && was.HostKey == "":
			moved(name, "the plan does not say which host key it answered with")
		case d.wasRead() && d.HostKey == "":
			moved(name, "its host key is not known now: the ssh program of this machine is older than OpenSSH 8.5")
		default:
			if why := d.moved(was); why != "" {
				moved(name, "%s", why)
			}
		}
	}
	for i := range s.Devices {
		if name := s.Devices[i].Name; saved[name] != nil {
			moved(strconv.Quote(diag.Cut(name)), "is in the plan, but not in the fabric")
		}
	}
	if len(e.Devices) == 0 {
		return nil
	}
	return e
}

// SameTargets checks whether devices would get the contents of a saved plan, whatever they contain now. The error is a [*MovedError].
func (p *Plan) SameTargets(s *Saved) error {
	e := &MovedError{}
	saved := map[string]string{}
	for _, d := range s.Devices {
		for _, f := range d.Files {
			saved[d.Name+" "+f.Path] = f.Target
		}
	}
	for _, d := range p.Devices {
		for _, f := range d.Files {
			target, known := saved[d.Device.Name+" "+f.Path]
			if known && target != f.Target && path.IsAbs(f.Path) {
				e.Devices = append(e.Devices, d.Device.Name)
				e.Reasons = append(e.Reasons, f.Path+" would get other content than in the plan")
				break
			}
		}
	}
	if len(e.Devices) == 0 {
		return nil
	}
	return e
}

// moved returns why the device differs from its saved state; empty: no difference.
func (d *DevicePlan) moved(was *SavedDevice) string {
	now := make([]string, 0, len(d.Files))
	for _, f := range d.Files {
		now = append(now, f.Path)
	}
	then := make([]string, 0, len(was.Files))
	for _, f := range was.Files {
		then = append(then, f.Path)
	}
	if !slices.Equal(now, then) {
		return "the fabric now contains other files for it"
	}
	for _, c := range d.Changes {
		if len(c.Rights) > 0 && was.Status != StatusChange {
			return "owner or mode of " + c.Rights[0].Path + " changed on the device"
		}
	}
	kept := was.Status == StatusSame && d.Status == StatusChange
	for i, f := range d.Files {
		switch w := was.Files[i]; {
		case kept && w.Base != w.Target && f.Base == w.Base:
			return "an accept block of the fabric left it as it is then, and is over now"
		case f.Base == w.Target && f.Target == w.Target: // applied already
		case f.Base == f.Target && !path.IsAbs(f.Path): // a live state is up to date, even if another part of it has changed
		case f.Base != w.Base:
			return f.Path + " changed on the device"
		case f.Target != w.Target:
			return f.Path + " would get other content: the fabric or rocec changed"
		}
	}
	return ""
}

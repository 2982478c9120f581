// Package sim simulates [NVUE] of Cumulus Linux 5.4 to 5.18 on a switch: nv, which stages, applies, confirms and saves revisions,
// with its refusals and prompts, and the chip's state that nv show prints. It checks its input by a separate table (schema.go) and has no
// knowledge of rocec's output.
//
// Package sim is an independent judge of the files and commands of rocec: never merge it with the grammar or the reader of the target.
//
// The traps that it simulates:
//
//   - state: enabled from 5.15, enable: on before; pools of advance-buffer-config are renamed in 5.11; small-packet-probability from
//     5.17: reference of NVUE, Set and Unset Commands, QoS, version history.
//   - on and off without quotes are text, and 3 as a key is not: YAML 1.2. Listings of the manuals have enable: on next to quoted keys of
//     digits.
//   - set and unset of one object in one file: no order is promised (manual of 5.15, NVUE CLI). Here unset comes last and wins.
//   - Setting a set again joins or replaces it ([Config.SetsReplace]): the RoCE page of 5.14 leaves this open.
//   - An unsaved revision is lost at a reboot up to 5.8; auto-save is on from 5.9 (reference of NVUE, Config Commands).
//   - Whether auto-save writes before an apply is confirmed is not documented: [Config.SaveUnconfirmed].
//   - nv config apply --confirm 60 is one hour, since a number without a unit is minutes. The default is ten minutes (reference of NVUE,
//     Config Commands).
//   - The parent revision may be named "applied", which identifies no revision: [Config.ParentByName] (clients of the API show both).
//   - Each user has a pending revision. A revision from an old base is applied as a whole, and later changes of others are lost without
//     a warning (manual, NVUE CLI and API: revisions are branches, and there is no lock).
//   - Files that were edited by hand are overwritten, after a prompt; without an answer the revision is ays_fail (manual, NVUE API).
//   - Whether 5.15 and later keep ecn as enable or enabled: [Config.StoresEnabled] (examples in the reference print one, the manual the
//     other).
//   - Invalid configuration makes the revision invalid with the issue config_invalid; it stays pending (manual, NVUE API).
//   - Failures may end with status 0: [Config.StatusZero] (NVIDIA's Ansible module looks for "error" in stderr, too).
//   - QoS on members of bonds, ports split in the same apply, watchdogs on interfaces that are not ports or do not pause, link pause
//     in addition to PFC, two lossless pools, shares above 100: manual of 5.17, Quality of Service, with its Caveats.
//   - A PFC profile without cable-length is sized for 10 m, and the preset for 100 m. PFC without a lossless pool has no headroom
//     (manual of 5.17, Quality of Service: the pool comes first).
//   - The chip rounds ECN thresholds up to 64 of its cells (RoCE pages: 150000 is shown as 153 KB on cells of 144 B, as 156 KB on
//     Spectrum-4; Linux, spectrum_qdisc.c).
//   - The form of leaves with units in JSON is not documented: [Config.Units]. The keys of ingress-priority-group are not documented
//     either. They are the keys of the table here, in the spelling of NVUE.
//   - Replacing the whole configuration also removes the login (manual of 5.15, NVUE CLI): [NVUE.LoginGone].
package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/targets/target"
)

// Config describes a switch, and selects among behaviours that documents leave open.
type Config struct {
	Release  string              // "5.9.1"
	Model    string              // "SN5600"
	Spectrum int                 // generation of the chip, 1 to 6
	Ports    []Port              // before any port is split
	Groups   map[string][]string // nvshow, nvset, nvapply, by user; nil: all users may do everything

	SetsReplace     bool // setting a set again replaces the set and does not join it
	SaveUnconfirmed bool // auto-save does not wait for the confirmation
	ParentByName    bool // the parent revision is named "applied"
	StatusZero      bool // failures end with status 0
	StoresEnabled   bool // from 5.15 on, enable of ecn, red and pfc-watchdog is stored as enabled, and disable as disabled
	Units           Units
}

// Port is a port of the front panel, with its cable.
type Port struct {
	Name      string
	SpeedMbps int // of a port without an interface in the machine
	MTU       int // bytes, likewise
	Meters    int // of the cable, from its memory; 0: nothing can be read
	Short     int // bytes of headroom that the switch reserves too little
	Least     int // bytes that the switch reserves at least, if the stated length is the cable's: its own formula is not published
}

// Units is the form of leaves with a unit in JSON.
type Units int

// The forms of leaves with a unit.
const (
	Plain  Units = iota // 150000
	Bytes               // "150000 B"
	Scaled              // "146.48 KB"
)

// Faults are failures to simulate.
type Faults struct {
	Crash   bool   // nvued ends in the middle of an apply
	Halfway bool   // an apply ends after half of the ports
	Garbage string // what nv show prints instead of JSON
}

// NVUE simulates the daemon of one switch with its programs.
type NVUE struct {
	Config
	Faults Faults // set them inside [NVUE.Do]
	m      target.Machine
	state
}

// revision is one state of the configuration.
type revision struct {
	ID, Parent int
	User       string
	State      string
	Message    string
	Tree       tree
	Issues     []issue
}

// window is an apply that waits for its confirmation.
type window struct {
	ID, Back int
	Due      time.Duration
}

// state is the daemon's state, guarded by the machine's lock. Revisions are on the switch's disk, so a restart keeps them.
type state struct {
	Revisions []*revision
	Attached  map[string]int // the pending revision of each user
	Applied   int
	Saved     int    // the revision that startup.yaml holds
	Startup   string // the content written to startup.yaml
	Window    *window
	Chip      tree // the configuration from which the chip was programmed
	Torn      tree // the old configuration that the second half of the ports still has after a failure
	Stamped   map[string]string
	Down      bool

	resume func()
}

// Valid implements [target.State].
func (s *state) Valid() bool {
	for _, r := range s.Revisions {
		if r == nil || r.Tree == nil {
			return false
		}
	}
	w := s.Window
	return s.byID(s.Applied) != nil && s.Chip != nil && s.Stamped != nil && s.Attached != nil &&
		(w == nil || s.byID(w.Back) != nil && s.byID(w.ID) != nil)
}

// Resume implements [target.Resumer].
func (s *state) Resume() { s.resume() }

func (s *state) byID(id int) *revision {
	for _, r := range s.Revisions {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// The paths of NVUE's files.
const (
	StartupPath  = "/etc/nvue.d/startup.yaml"
	FeaturesPath = "/etc/cumulus/datapath/qos/qos_features.conf"
	InfraPath    = "/etc/mlx/datapath/qos/qos_infra.conf"
)

// New returns NVUE for one switch. It panics if the release is not one of Cumulus Linux 5, or the Spectrum is unknown.
func New(c Config) *NVUE {
	parseRelease(c.Release)
	if c.Spectrum < 1 || c.Spectrum > 6 {
		panic("nvue/sim: no such Spectrum")
	}
	return &NVUE{Config: c}
}

// Files returns the NVUE files of a fresh switch.
func (n *NVUE) Files() map[string]string {
	r := n.factory()
	return map[string]string{FeaturesPath: features5(effective(r, n.release()), 1), InfraPath: infra(effective(r, n.release()), 1)}
}

func (n *NVUE) release() release { return parseRelease(n.Release) }

// factory returns the settings of a fresh switch.
func (n *NVUE) factory() tree {
	t := tree{}
	t.put(tree{"ip": tree{"address": tree{"dhcp": tree{}}, "vrf": "mgmt"}, "type": "eth"}, "interface", "eth0")
	t.put("cumulus", "system", "hostname")
	t.put(tree{"full-name": "cumulus", "role": "system-admin"}, "system", "aaa", "user", "cumulus")
	return t
}

func header(n *NVUE) tree {
	return tree{"model": n.Model, "nvue-api-version": "nvue_v1", "rev-id": 1.0, "version": "Cumulus Linux " + n.Release}
}

// Boot implements [target.Sim]. It applies the saved configuration and discards the running one.
func (n *NVUE) Boot(m target.Machine) {
	first := n.m == nil
	n.m = m
	n.Down, n.Window, n.Torn = false, nil, nil
	files := map[string][]byte{}
	for _, path := range []string{FeaturesPath, InfraPath} {
		files[path], _ = m.ReadFile(path)
	}
	n.resume = func() { // a machine that was stored while it ran: it did not boot, so nothing was written
		for path, text := range files {
			m.WriteFile(path, string(text))
		}
		n.startWindow()
	}
	m.Keep("nvued", &n.state)
	m.Install("/usr/bin/nv", n.nv)
	m.Install("/usr/bin/decode-syseeprom", n.eeprom)
	m.Service("nvued.service", func() error {
		n.Down = false
		return nil
	})
	m.Service("nvue-startup.service", func() error { // after other programs have changed the file, and before NVUE reads it
		n.loadStartup()
		return nil
	})
	m.Service("switchd.service", func() error { return nil })
	if first {
		n.Revisions = []*revision{{ID: 1, State: "applied", User: "root", Message: "factory", Tree: n.factory()}}
		n.Attached, n.Stamped = map[string]int{}, map[string]string{}
		n.Applied, n.Saved = 1, 1
		n.stamp()
	}
	for _, r := range n.Revisions {
		if r.State == "confirm" || r.State == "apply" {
			r.State = "inactive"
		}
	}
	n.Chip = n.byID(n.Applied).Tree
}

// loadStartup applies the saved configuration.
func (n *NVUE) loadStartup() {
	id := 1
	if text, err := n.m.ReadFile(StartupPath); err == nil && string(text) == n.Startup {
		id = n.Saved
	} else if err == nil {
		id = n.fromStartup(text)
	}
	if r := n.byID(id); r != nil && (id != 1 || n.Applied != 1) {
		n.use(r)
		if id == n.Saved && n.Startup != "" {
			r.State = "applied_and_saved"
		}
	} else {
		n.Chip = n.byID(n.Applied).Tree
	}
}

// fromStartup returns a revision from a file that another program wrote. If the file cannot be read, the factory's revision stays.
func (n *NVUE) fromStartup(text []byte) int {
	docs, err := parse(text)
	if err != nil {
		return 1
	}
	r := n.add("root", 1, tree{})
	for _, d := range docs {
		if d.what == "set" {
			r.Tree.merge(d.tree)
		}
	}
	if len(schemaOf(n.release()).check(r.Tree, "")) > 0 {
		r.State = "invalid"
		return 1
	}
	n.Saved, n.Startup = r.ID, string(text)
	return r.ID
}

// Do runs f with the machine's lock held.
func (n *NVUE) Do(f func()) { n.m.Do(f) }

// Stop stops nvued until its unit is started.
func (n *NVUE) Stop() { n.Do(func() { n.Down = true }) }

// LoginGone reports whether the applied configuration lacks the usual login user.
func (n *NVUE) LoginGone() (gone bool) {
	n.Do(func() { gone = n.byID(n.Applied).Tree.at("system", "aaa", "user", "cumulus") == nil })
	return gone
}

// Foreign adds a revision of another user, in a state such as pending or confirm, from lines of nv set and nv unset.
func (n *NVUE) Foreign(user, state string, lines ...string) (id int) {
	n.Do(func() {
		r := n.add(user, n.Applied, n.byID(n.Applied).Tree.clone())
		if err := n.lines(r, strings.Join(lines, "\n")); err != nil {
			panic("nvue/sim: " + err.Error()) // the test's
		}
		if id, n.Attached[user] = r.ID, r.ID; state == "confirm" {
			back := n.Applied
			n.use(r)
			n.open(r, back, 10*time.Minute)
		}
		r.State = state
	})
	return id
}

// maxRevisions is the maximum number of revisions that are kept.
const maxRevisions = 100

// add adds a pending revision, and removes the oldest revision that is not needed.
func (n *NVUE) add(user string, parent int, t tree) *revision {
	r := &revision{ID: n.Revisions[len(n.Revisions)-1].ID + 1, Parent: parent, User: user, State: "pending", Tree: t}
	n.Revisions = append(n.Revisions, r)
	for i := 1; len(n.Revisions) > maxRevisions && i < len(n.Revisions)-1; {
		old := n.Revisions[i]
		if old.ID == n.Applied || old.ID == n.Saved || n.Window != nil && (old.ID == n.Window.ID || old.ID == n.Window.Back) {
			i++
			continue
		}
		n.Revisions = append(n.Revisions[:i], n.Revisions[i+1:]...)
		for user, id := range n.Attached {
			if id == old.ID {
				delete(n.Attached, user)
			}
		}
	}
	return r
}

// use makes a revision the applied one, in the chip and in the files.
func (n *NVUE) use(r *revision) {
	if old := n.byID(n.Applied); old != nil && old != r {
		old.State = "inactive"
	}
	n.Applied, n.Chip, n.Torn = r.ID, r.Tree, nil
	r.State = "applied"
	n.write()
}

// write writes the files that NVUE owns, except those under system config apply ignore.
func (n *NVUE) write() {
	eff := effective(n.Chip, n.release())
	for path, text := range map[string]string{FeaturesPath: features5(eff, n.Applied), InfraPath: infra(eff, n.Applied)} {
		if eff.at("system", "config", "apply", "ignore", path) == nil {
			n.m.WriteFile(path, text)
		}
	}
	n.stamp()
}

// stamp records the content of the files, to detect later changes by others.
func (n *NVUE) stamp() {
	for _, path := range []string{FeaturesPath, InfraPath} {
		text, _ := n.m.ReadFile(path)
		n.Stamped[path] = string(text)
	}
}

// edited returns the files that others have edited and that the next apply overwrites.
func (n *NVUE) edited(t tree) (out []string) {
	for _, path := range []string{FeaturesPath, InfraPath} {
		text, err := n.m.ReadFile(path)
		if (err != nil || string(text) != n.Stamped[path]) && t.at("system", "config", "apply", "ignore", path) == nil {
			out = append(out, path)
		}
	}
	return out
}

// features5 and infra return the files of switchd, with only the parts about PFC and pools.
func features5(eff tree, id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# written by nvued, revision %d\n", id)
	profiles := sorted(eff.sub("qos", "pfc"))
	if len(profiles) > 0 {
		fmt.Fprintf(&b, "pfc.port_group_list = [%s]\n", strings.Join(profiles, ","))
	}
	for _, p := range profiles {
		fmt.Fprintf(&b, "pfc.%s.cos_list = [%s]\n", p, strings.Join(sorted(eff.sub("qos", "pfc", p, "switch-priority")), ","))
		if ports := pausingBy(eff, p); len(ports) > 0 {
			fmt.Fprintf(&b, "pfc.%s.port_set = %s\n", p, strings.Join(ports, ","))
		}
	}
	return b.String()
}

// pausingBy returns the interfaces bound to a PFC profile.
func pausingBy(eff tree, profile string) (out []string) {
	for _, name := range sorted(eff.sub("interface")) {
		if eff.text("interface", name, "qos", "pfc", "profile") == profile {
			out = append(out, name)
		}
	}
	return out
}

func infra(eff tree, id int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# written by nvued, revision %d\n", id)
	for i, p := range sorted(eff.sub("qos", "traffic-pool")) {
		fmt.Fprintf(&b, "ingress_service_pool.%d.percent = %d.0\n", i, eff.number(0, "qos", "traffic-pool", p, "memory-percent"))
	}
	return b.String()
}

// save writes startup.yaml.
func (n *NVUE) save() {
	r := n.byID(n.Applied)
	n.Saved, n.Startup = r.ID, yamlText([]doc{{"header", header(n)}, {"set", r.Tree}})
	r.State = "applied_and_saved"
	n.m.WriteFile(StartupPath, n.Startup)
}

func (n *NVUE) autoSave(t tree) bool {
	key, _, on := spell(n.release())
	return effective(t, n.release()).text("system", "config", "auto-save", key) == on
}

// open lets an applied revision wait for its confirmation.
func (n *NVUE) open(r *revision, back int, d time.Duration) {
	n.Window = &window{r.ID, back, n.m.Now() + d}
	n.startWindow()
}

func (n *NVUE) startWindow() {
	if w := n.Window; w != nil {
		n.m.After(max(w.Due-n.m.Now(), 0), func() {
			if n.Window == w {
				n.back()
			}
		})
	}
}

// back undoes an unconfirmed revision.
func (n *NVUE) back() {
	w := n.Window
	n.Window = nil
	n.byID(w.ID).State = "inactive"
	saved := n.Saved == w.ID
	n.use(n.byID(w.Back))
	if saved || n.autoSave(n.Chip) {
		n.save()
	}
}

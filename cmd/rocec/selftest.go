package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) selftestCommand() *cobra.Command {
	var o selftestOptions
	cmd := &cobra.Command{
		Use:   "selftest [DIR]",
		Short: "ask devices what documents leave open; change nothing",
		Long: "Selftest asks the devices of a fabric for what public documents leave open and rocec relies on. By level 0 it\n" +
			"reads and changes nothing. It prints each claim with its place in the documents, the command, the answer, and whether the claim " +
			"holds there.\n" +
			"Names of devices and users, addresses and serial numbers are replaced by words such as device-1 and addr-1.\n\n" +
			"With --out it saves the same text after it was shown, and only after asking. It is never sent anywhere; docs/evidence says\n" +
			"how such a text becomes a report.\n\n" +
			"The exit status is about reading the devices: 3 where one could not be read, whatever the verdicts are.",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.level != 0 {
				return exit.Fail(exit.Usage, "there is no level %d: rocec has level 0, which reads and changes nothing", o.level)
			}
			if err := o.readOptions.check(); err != nil {
				return err
			}
			dir, err := a.folder(args)
			if err != nil {
				return err
			}
			return a.selftest(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.level, "level", 0, "how far it goes: 0 reads and changes nothing, and there is no other")
	f.StringVar(&o.out, "out", "", "save what was shown to a new `file`, after asking")
	f.BoolVar(&o.approve, "auto-approve", false, "save without asking")
	labFlags(cmd, &o.lab)
	o.readFlags(cmd)
	o.timeout = selftestTime
	f.Lookup("timeout").DefValue = selftestTime.String()
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type selftestOptions struct {
	readOptions
	level   int
	out     string
	approve bool
	lab     labFlag
	only    []string
}

// selftestTime is how long one device may take: each of some twenty claims may end by its own time limit.
const selftestTime = 5 * time.Minute

// claimTime is how long the command of one claim may take, in seconds.
const claimTime = 15

func (a *app) selftest(ctx context.Context, dir string, o selftestOptions) (err error) {
	if err := a.maySave(o); err != nil {
		return err
	}
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	asked, tree := claimsOf(devices.tree)
	if len(asked) == 0 {
		return exit.Fail(exit.Usage, "the documents leave nothing open that these devices could tell")
	}
	read, end := a.reading()
	o.limit(&read)
	read.Probes = rollout.Every
	found := rollout.Observe(ctx, devices.dial, tree, read)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	mask, unread := fabricMask(f.Fabric), false
	words := map[*ir.Device]string{}
	for _, d := range asked { // the numbers begin with those that are shown
		words[d.of.Source] = knowDevice(mask, d.of.Source)
	}
	for _, d := range f.Fabric.Devices {
		if words[d] == "" {
			words[d] = knowDevice(mask, d)
		}
	}
	b := &bundle.Bundle{Tool: tool(), Lab: devices.lab != nil}
	for i, d := range asked {
		d.facts.know(mask, words[d.of.Source])
		s := d.section(words[d.of.Source], found.Devices[i])
		b.Devices = append(b.Devices, s)
		unread = unread || s.NotRead != ""
	}
	text := b.Text(mask)
	fmt.Fprint(a.stdout, text)
	if o.out != "" {
		if err := a.saveBundle(ctx, text, o); err != nil {
			return err
		}
	}
	if unread {
		return exit.With(exit.Machines)
	}
	return nil
}

// maySave refuses what could not be saved in the end, before anything is asked.
func (a *app) maySave(o selftestOptions) error {
	if o.out == "" {
		if o.approve {
			return exit.Fail(exit.Usage, "--auto-approve is about --out FILE, without which nothing is saved")
		}
		return nil
	}
	if _, err := os.Lstat(o.out); err == nil {
		return exit.Fail(exit.Usage, "%s is there already, and nothing is overwritten", o.out)
	}
	if _, ok := terminal(a.stdin); !ok && !o.approve {
		return exit.Fail(exit.Usage, "stdin is not a terminal, so nobody can be asked; to save without asking use --auto-approve")
	}
	return nil
}

// saveBundle saves what was shown, where the person wants that.
func (a *app) saveBundle(ctx context.Context, text string, o selftestOptions) error {
	if !o.approve {
		q := fmt.Sprintf("Is there nothing in it that others must not see? Save it to %s?", diag.Escape(o.out))
		if err := a.askTo(ctx, q, "yes", "save", "nothing was saved"); err != nil {
			return err
		}
	}
	w, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exit.Fail(exit.Usage, "%s is there already, and nothing is overwritten", o.out)
	case err != nil:
		return exit.Fail(exit.Machines, "%v", err)
	}
	_, err = w.WriteString(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	a.say("Saved to %s. It is sent nowhere.", o.out)
	return nil
}

// askedDevice is a device with its claims, and what it answered.
type askedDevice struct {
	of      *target.Device
	claims  []target.Claim
	answers [][]byte // by claim; nil: there is none
	facts   deviceFacts
}

// claimsOf gives the devices of a tree of which something is open, and a tree that asks them for it.
func claimsOf(tree *target.Tree) ([]*askedDevice, *target.Tree) {
	var out []*askedDevice
	ask := &target.Tree{}
	for _, d := range tree.Devices {
		if d.Target.Claims == nil {
			continue
		}
		one := &askedDevice{of: d, claims: d.Target.Claims(d.Source)}
		if len(one.claims) == 0 {
			continue
		}
		one.answers = make([][]byte, len(one.claims))
		to := *d
		to.Files, to.Leavings, to.Watches, to.Look = nil, nil, nil, nil
		to.Identity = slices.DeleteFunc(slices.Clone(d.Identity), func(p target.Probe) bool { return p.Name != target.ReleaseProbe })
		to.Probes = []target.Probe{{Name: "names", Query: target.Query{Cmd: factsCmd}, Judge: func(answer []byte) []string {
			one.facts = readFacts(answer)
			return nil
		}}}
		for i, c := range one.claims {
			if slices.ContainsFunc(one.claims[:i], func(o target.Claim) bool { return bundle.Same(o, c) }) {
				continue
			}
			to.Probes = append(to.Probes, target.Probe{Name: c.ID, Query: bounded(c.Query), Judge: func(answer []byte) []string {
				for k, o := range one.claims {
					if bundle.Same(o, c) {
						one.answers[k] = answer
					}
				}
				return nil
			}})
		}
		out, ask.Devices = append(out, one), append(ask.Devices, &to)
	}
	return out, ask
}

// bounded is the query of a claim with its errors, within bounds of time and length; it does not fail.
func bounded(q target.Query) target.Query {
	const form = `{ timeout %d sh -c %s 2>&1 || echo "(exit status $?)"; } | head -c %d`
	q.Cmd = fmt.Sprintf(form, claimTime, nic.Quote(q.Cmd), target.MostAnswer+1)
	return q
}

// section is what a device answered, and what its claims come to.
func (d *askedDevice) section(word string, have *deploy.Have) *bundle.Section {
	s := &bundle.Section{Word: word, Targets: strings.Fields(d.of.Target.Name), System: d.facts.system}
	if sw := d.of.Source.Switch; sw != nil {
		s.Release = sw.Version
	}
	s.Models = models(d.of.Source)
	switch {
	case have.Err != nil:
		s.NotRead = string(have.Err.Kind) + ": " + have.Err.Detail
	case !d.facts.whole:
		s.NotRead = "the device did not say what it is called, so that its answers could not be freed of its names"
	case len(have.Wrong) > 0: // of another release than its answers would be filed under
		s.NotRead = strings.Join(have.Wrong, " ")
	}
	if s.NotRead != "" {
		return s
	}
	for i, c := range d.claims {
		a := bundle.Answer{Claim: c, Text: d.answers[i], Verdict: target.NotDecided}
		if d.answers[i] != nil && c.Judge != nil {
			a.Verdict = c.Judge(d.answers[i])
		}
		s.Answers = append(s.Answers, a)
	}
	return s
}

// models are those of a device, without the names a person has declared.
func models(d *ir.Device) (out []string) {
	add := func(name string) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if d.Switch != nil {
		if sw := d.Switch.Model; slices.Contains(platform.Switches, sw) {
			add(sw.Name)
		} else {
			add("declared in the fabric, " + sw.ASIC.Title)
		}
		return out
	}
	for _, n := range d.Host.NICs {
		if slices.Contains(n.Model.Driver.Models, n.Model) {
			add(n.Model.Name)
		} else {
			add("declared in the fabric, " + n.Model.Driver.Name)
		}
	}
	return out
}

// fabricMask knows the names of a fabric that belong to no device.
func fabricMask(f *ir.Fabric) *bundle.Mask {
	m := &bundle.Mask{}
	if !everybodys(f.Name) {
		m.KnowAs(bundle.Name, f.Name)
	}
	return m
}

// knowDevice has a device of the fabric replaced by a word, under its name and the one it is reached by.
func knowDevice(m *bundle.Mask, d *ir.Device) (word string) {
	word = m.Word(bundle.Device)
	m.Know(d.Name, word)
	knowHost(m, word, d.SSH.Address)
	knowUser(m, d.SSH.User)
	hops, _ := destination.Jump(d.SSH.Jump) // lang has judged it
	for _, hop := range hops {
		knowUser(m, hop.User)
		m.KnowAs(bundle.Name, hop.Host)
		if name, domain, ok := strings.Cut(hop.Host, "."); ok && !address(hop.Host) {
			m.KnowAs(bundle.Name, name)
			m.KnowAs(bundle.Name, domain)
		}
	}
	return word
}

// address reports whether a host is named by its address.
func address(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// knowHost has a name of a host replaced, with and without its domain, and the domain.
func knowHost(m *bundle.Mask, word, host string) {
	m.Know(host, word)
	name, domain, ok := strings.Cut(host, ".")
	if !ok || address(host) {
		return
	}
	m.Know(name, word)
	m.KnowAs(bundle.Name, domain)
}

// knowUser has a user replaced.
func knowUser(m *bundle.Mask, user string) {
	if !everybodys(user) {
		m.KnowAs(bundle.User, user)
	}
}

// everybodys reports whether a user, host or fabric is called as on every system, as it comes from the factory, or as the system itself:
// that is nobody's name, and stands in paths and commands.
func everybodys(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"root", "nobody", "localhost"}, name) ||
		slices.ContainsFunc(targets.Known.OS, func(os *ir.OS) bool { return os.User == name || os.Name == name })
}

// deviceFacts is what a device says of itself, so that it can be left out; and what it runs.
type deviceFacts struct {
	whole          bool // the answer has its end
	hosts, domains []string
	users, serials []string
	macs           []string
	system         string // its name, and the kernel
}

// factsCmd asks for them: lines "KIND VALUE", and an end. It is never shown.
const factsCmd = `say() { [ -z "$2" ] || printf '%s %s\n' "$1" "$2"; }
say host "$(uname -n)"
say host "$(timeout 5 hostname -f 2>/dev/null)"
while read -r key value; do
case $key in search|domain) for d in $value; do say domain "$d"; done ;; esac
done 2>/dev/null </etc/resolv.conf
while IFS=: read -r name x id rest; do
[ "${id:-0}" -lt 1000 ] 2>/dev/null || say user "$name"
done 2>/dev/null </etc/passwd
for f in /sys/class/dmi/id/*_serial /sys/class/dmi/id/product_uuid /etc/machine-id; do
[ ! -r "$f" ] || say serial "$(head -c 200 "$f" 2>/dev/null)"
done
for f in /sys/class/net/*/address /sys/class/infiniband/*/node_guid /sys/class/infiniband/*/sys_image_guid; do
[ ! -r "$f" ] || say mac "$(head -c 100 "$f" 2>/dev/null)"
done
while IFS== read -r key value; do
case $key in PRETTY_NAME) say system "$value" ;; esac
done 2>/dev/null </etc/os-release
say kernel "$(uname -r)"
echo end`

func readFacts(answer []byte) (f deviceFacts) {
	for line := range strings.Lines(string(answer)) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		if plain, err := strconv.Unquote(value); err == nil {
			value = plain
		}
		switch kind {
		case "host":
			f.hosts = append(f.hosts, value)
		case "domain":
			f.domains = append(f.domains, value)
		case "user":
			f.users = append(f.users, value)
		case "serial":
			f.serials = append(f.serials, value)
		case "mac":
			f.macs = append(f.macs, value)
		case "system":
			f.system = value
		case "kernel":
			f.system = strings.TrimPrefix(f.system+", kernel "+value, ", ")
		}
	}
	f.whole = strings.HasSuffix(strings.TrimSpace(string(answer)), "\nend") && len(f.hosts) > 0
	return f
}

// know has what a device says of itself replaced.
func (f *deviceFacts) know(m *bundle.Mask, word string) {
	for _, h := range f.hosts {
		if name, _, _ := strings.Cut(h, "."); !everybodys(name) {
			knowHost(m, word, h)
		}
	}
	for _, n := range f.domains {
		m.KnowAs(bundle.Name, strings.Trim(n, "."))
	}
	for _, u := range f.users {
		knowUser(m, u)
	}
	for _, s := range f.serials {
		if len(s) > 3 && strings.ContainsAny(s, "0123456789") { // "None", "Not Specified", "0"
			m.KnowAs(bundle.Serial, s)
		}
	}
	for _, mac := range f.macs {
		plain := strings.ReplaceAll(mac, ":", "")
		if strings.Trim(plain, "0") == "" || len(plain)%2 != 0 || len(plain) < 12 {
			continue
		}
		w := m.Word(bundle.Addr)
		m.Know(mac, w)
		m.Know(plain, w)
		m.Know("0x"+plain, w)
	}
}

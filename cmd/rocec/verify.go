package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/samples"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/seen"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [DIR]",
		Short: "read settings, states and counters back and say what is not as written",
		Long: "Verify reads the devices and changes nothing. It says which settings are not as written, which links and daemons are\n" +
			"down, and which counters of lost or misdirected traffic have risen since the last verify. It keeps what it measured\n" +
			"below $XDG_STATE_HOME/rocec/samples. A device that was never verified is read twice, 5 seconds apart; one that has\n" +
			"restarted since is judged by what its counters came to since then.\n\n" +
			"With --from DIR it logs in nowhere, and judges each host by DIR/HOST.json: what `rocec-host check --json` printed there.\n" +
			"A host without such a file is unknown, and not good.\n\n" +
			"With --traffic, hosts send packets to each other, after asking: 1000 messages for each intent, 20 seconds at most.\n" +
			"It says in which priority the counters of the way moved.",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := choice("since", o.since, string(deploy.SinceLast), string(deploy.SinceBoot)); err != nil {
				return err
			}
			if err := o.readOptions.check(); err != nil {
				return err
			}
			dir, err := a.folder(args)
			if err != nil {
				return err
			}
			if o.from == "" {
				return a.verify(cmd.Context(), dir, o)
			}
			for _, other := range []string{"lab", "since", "traffic", "parallel", "timeout", "ask-sudo-password"} {
				if cmd.Flags().Changed(other) {
					return exit.Fail(exit.Usage, "--from reads files and no device, so that --%s says nothing. Leave out one of the two", other)
				}
			}
			return a.verifyFrom(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", string(deploy.SinceLast),
		"what counters are compared with: last (the last verify) or boot (the start of the device)")
	f.StringVar(&o.from, "from", "", "judge hosts by their own reports in this `folder`, without a login")
	f.StringVar(&o.format, "format", "text", "text or json")
	offer(cmd, "since", string(deploy.SinceLast), string(deploy.SinceBoot))
	f.StringVar(&o.traffic, "traffic", "", "send a short exchange between two members of each intent, or between hosts `A,B`, and say which "+
		"counters moved")
	f.Lookup("traffic").NoOptDefVal = trafficAny
	f.BoolVar(&o.approve, "auto-approve", false, "send the exchange of --traffic without asking")
	labFlags(cmd, &o.lab)
	o.readFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type verifyOptions struct {
	readOptions
	traffic       string // empty: none is sent
	approve       bool
	since, format string
	from          string // a folder of reports; empty: devices are read
	lab           labFlag
	only          []string
}

// The statuses of a device in verify.
const (
	verifyGood    = "good"
	verifyDrift   = "drift"
	verifyUnknown = "unknown" // there is no report of it
)

type verifyDocument struct {
	FormatVersion string         `json:"format_version"`
	Good          bool           `json:"good"`
	Since         string         `json:"since"` // as asked for
	Devices       []verifyDevice `json:"devices"`
	Summary       map[string]int `json:"summary"`
	ByHand        planByHand     `json:"by_hand"` // devices that are not read
	Seen          seenDocument   `json:"seen"`    // what devices say of their ports and cables

	Traffic []verifyTraffic `json:"traffic,omitempty"` // of --traffic
}

type verifyDevice struct {
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	By       string          `json:"written_by,omitempty"` // "others": they must change what differs
	Reason   string          `json:"reason,omitempty"`
	Changes  []planChange    `json:"changes"`
	Findings []verifyFinding `json:"findings"`
	Hints    []verifyFinding `json:"hints"`           // of states that are not wrong
	Since    *verifySince    `json:"since,omitempty"` // nil: the device could not be read
	Rose     []deploy.Rise   `json:"rose"`
	Age      *int64          `json:"report_age_seconds,omitempty"` // of --from, by the time of the file
	Facts    []verifyFact    `json:"facts"`                        // what the device says of itself
}

type verifyFact struct {
	Name  string `json:"name"`
	On    string `json:"on"`
	Value string `json:"value"`
}

// verifySince is what the counters of a device were compared with.
type verifySince struct {
	From    deploy.Since `json:"from"`
	Seconds int64        `json:"seconds"` // ago, rounded; 0: not known
}

type verifyFinding struct {
	Probe    string `json:"probe"`
	Message  string `json:"message"`
	Code     string `json:"code,omitempty"` // of what is read besides settings and probes, as the three that follow
	Severity string `json:"severity,omitempty"`
	File     string `json:"file,omitempty"` // of the fabric
	Line     int    `json:"line,omitempty"`
}

func (a *app) verify(ctx context.Context, dir string, o verifyOptions) (err error) {
	f, devices, err := a.open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	var sent []verifyTraffic
	if o.traffic != "" {
		if sent, err = a.traffic(ctx, f.Fabric, f.Tree(), devices, o); err != nil {
			return err
		}
	}
	kept := a.keptSamples(dir, devices)
	read, end := a.reading()
	o.limit(&read)
	v := rollout.VerifyOptions{
		ObserveOptions: read, Clock: rollout.Clock{Now: time.Now, Wait: time.After},
		Kept: kept.samples, SinceBoot: o.since == string(deploy.SinceBoot),
	}
	if devices.lab != nil {
		v.Interval = time.Second
	}
	found := rollout.Verify(ctx, devices.dial, withSlow(devices.tree), v)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	kept.keep(f.Tree(), found.Kept)
	return a.verified(dir, f, verifyFound{found, a.debts(dir, devices.labDir), nil, sent}, o)
}

// verifyFound is what verify judges.
type verifyFound struct {
	*rollout.Verification
	debts map[string]debt
	from  *hostReports    // what the devices told of themselves; nil: they were read
	sent  []verifyTraffic // what --traffic saw
}

// verified says what was found, and whether all is good.
func (a *app) verified(dir string, f *report.Report, found verifyFound, o verifyOptions) error {
	r := found.from
	unlike := judgedHealth(f.Fabric, found.Verification)
	doc := verifyDocument{
		FormatVersion: report.FormatVersion, Good: found.Sound(), Since: o.since, Devices: []verifyDevice{},
		ByHand: byHandJSON(f.Fabric), Seen: seenJSON(unlike), Traffic: found.sent,
		Summary: map[string]int{
			verifyGood: 0, verifyDrift: 0, string(deploy.StatusUnreachable): 0, string(deploy.StatusRefused): 0, string(deploy.StatusPending): 0,
		},
	}
	for _, h := range found.Devices {
		d := h.Drift
		v := verifyDevice{
			Name: d.Device.Name, Age: r.seconds(d.Device.Name),
			Changes: changesJSON(d.Changes), Findings: []verifyFinding{}, Hints: []verifyFinding{}, Rose: []deploy.Rise{},
			Facts: []verifyFact{},
		}
		if d.ByOthers() {
			v.By = "others"
		}
		if h.Base.Since != "" {
			v.Since = &verifySince{h.Base.Since, int64(h.Base.Ago.Round(time.Second).Seconds())}
		}
		v.Rose = append(v.Rose, h.Rose...)
		for _, p := range h.Probes {
			for _, w := range p.Wrong {
				v.Findings = append(v.Findings, verifyFinding{Probe: p.Name, Message: w})
			}
			for _, s := range p.Samples {
				if s.Hint != "" {
					v.Hints = append(v.Hints, verifyFinding{Probe: p.Name, Message: s.Hint})
				}
				if s.Fact != "" {
					v.Facts = append(v.Facts, verifyFact{s.Name, s.On, target.Escape(s.Fact)})
				}
			}
		}
		for _, w := range d.Watched {
			for _, found := range w.Found {
				one := verifyFinding{w.Name, found.Detail, found.Code, found.Severity.String(), found.At.Filename, found.At.Start.Line}
				if found.Severity == diag.Notice {
					v.Hints = append(v.Hints, one)
				} else {
					v.Findings = append(v.Findings, one)
				}
			}
			for _, fact := range w.Facts {
				v.Facts = append(v.Facts, verifyFact{fact.Name, d.Device.Name, target.Escape(fact.Value)})
			}
		}
		for _, note := range d.Diags {
			if note.Severity == diag.Notice {
				v.Hints = append(v.Hints, verifyFinding{Probe: "settings", Message: note.Detail})
			}
		}
		switch {
		case d.Device.Source.Maintenance != "" && (d.Err != nil || !h.Sound()):
			v.Status, v.Reason = string(deploy.StatusPending), "under maintenance: "+d.Device.Source.Maintenance
		case d.Status == deploy.StatusPending:
			v.Status, v.Reason = string(deploy.StatusPending), d.Waits.String()
		case d.Err != nil && d.Err.Kind == deploy.Unmet: // it was read, and is not as written
			v.Status, v.Reason = verifyDrift, d.Err.Detail
			v.Findings = append(v.Findings, verifyFinding{Probe: "settings", Message: d.Err.Detail})
		case d.Err != nil:
			v.Status, v.Reason = string(d.Status), d.Err.Detail
		case h.Sound():
			v.Status = verifyGood
		default:
			v.Status = verifyDrift
		}
		doc.Summary[v.Status]++
		doc.Devices = append(doc.Devices, v)
	}
	if r != nil {
		doc.add(r)
	}
	firmwareHints(f.Fabric, doc.Devices)
	found.Plan.Pending()
	doc.Good = doc.Summary[verifyGood]+doc.Summary[string(deploy.StatusPending)] == len(doc.Devices) && unlike.Good() &&
		!slices.ContainsFunc(found.sent, func(t verifyTraffic) bool { return !t.Good })
	if o.format == "json" {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	} else {
		a.verifyText(dir, f.Fabric, found.Plan, doc, verifyAside{found.debts, r, unlike})
	}
	switch {
	case doc.Summary[string(deploy.StatusUnreachable)]+doc.Summary[string(deploy.StatusRefused)]+doc.Summary[verifyUnknown] > 0:
		return exit.With(exit.Machines)
	case !doc.Good:
		return exit.With(exit.Errors)
	}
	return nil
}

// withSlow gives the tree with the probes that only verify runs.
func withSlow(tree *target.Tree) *target.Tree {
	out := &target.Tree{}
	for _, d := range tree.Devices {
		asked := *d
		asked.Probes = slices.Concat(d.Probes, d.Slow)
		out.Devices = append(out.Devices, &asked)
	}
	return out
}

// verifyAside is what verify tells beside its document.
type verifyAside struct {
	debts  map[string]debt
	from   *hostReports
	unlike *seen.Result
}

func (a *app) verifyText(dir string, fabric *ir.Fabric, plan *deploy.Plan, doc verifyDocument, aside verifyAside) {
	v := a.planView(dir, viewOptions{})
	v.drift = true
	w, r := v.w, aside.from
	v.groups(plan, page)
	v.findings(doc)
	v.watched(plan)
	v.seen(aside.unlike)
	v.hints(doc)
	v.unreadable(doc)
	a.trafficText(v, doc.Traffic)
	v.held(plan)
	v.pending(plan, aside.debts)
	sinceText(w, doc)
	unknown := ""
	if r != nil {
		r.text(v, doc)
		unknown = fmt.Sprintf(", %d unknown", doc.Summary[verifyUnknown])
	}
	if text := deploy.ByHand(fabric); text != "" {
		v.prose("", text+".")
	}
	failed := 0
	for _, t := range doc.Traffic {
		if !t.Good {
			failed++
		}
	}
	if failed > 0 {
		unknown += fmt.Sprintf("; %s not proved by traffic", diag.Count(failed, "intent"))
	}
	word := v.paint(diag.Green, "good")
	if !doc.Good {
		word = v.paint(diag.Red, "not as written")
		if failed > 0 && doc.Summary[verifyDrift] == 0 {
			word = v.paint(diag.Red, "not proved")
		}
	}
	if n := len(aside.unlike.Findings); n > 0 {
		unknown += ", " + diag.Count(n, "finding") + " about ports and cables"
	}
	fmt.Fprintf(w, "Verify: %s. %s as written, %d drifted, %d unreachable, %d refused%s%s.\n", word,
		diag.Count(doc.Summary[verifyGood], "device"), doc.Summary[verifyDrift], doc.Summary[string(deploy.StatusUnreachable)],
		doc.Summary[string(deploy.StatusRefused)], pendingText(doc.Summary[string(deploy.StatusPending)]), unknown)
}

// findings prints what each probe found once, with the devices on which it did.
func (v *planView) findings(doc verifyDocument) {
	found := map[string]*told{} // by probe
	var probes []string
	for _, d := range doc.Devices {
		for _, f := range d.Findings {
			if f.Code != "" { // told with the others of its kind
				continue
			}
			if found[f.Probe] == nil {
				found[f.Probe] = &told{}
				probes = append(probes, f.Probe)
			}
			found[f.Probe].add(f.Message, d.Name)
		}
	}
	for _, probe := range probes {
		v.told(found[probe], v.paint(diag.Yellow, probe)+": ")
	}
}

// hints prints each hint once, with the devices that give it.
func (v *planView) hints(doc verifyDocument) {
	var hints told
	for _, d := range doc.Devices {
		for _, h := range d.Hints {
			if h.Code != "" { // told with the others of its kind
				continue
			}
			hints.add(h.Message, d.Name)
		}
	}
	v.told(&hints, "")
}

// unreadable names what no device of a kind can be asked for, so that nothing of it is taken for seen.
func (v *planView) unreadable(doc verifyDocument) {
	var facts told
	for _, d := range doc.Devices {
		for _, f := range d.Facts {
			if f.Value == target.NotReadable {
				facts.add(f.Name+": "+f.Value+".", d.Name)
			}
		}
	}
	v.told(&facts, "")
}

// told prints each text with the devices that it is told of, and a word before it.
func (v *planView) told(t *told, word string) {
	for _, text := range t.texts {
		v.prose(v.paint(diag.Bold, nodeset.Text(t.of[text], nodeset.Devices, math.MaxInt))+"  "+word, target.Escape(text))
	}
}

// sinceText says what counters were compared with: a line for all devices, or for those of each kind.
func sinceText(w io.Writer, doc verifyDocument) {
	var order []string
	of := map[string][]string{}
	for _, d := range doc.Devices {
		if d.Since == nil {
			continue
		}
		var text string
		ago := time.Duration(d.Since.Seconds) * time.Second
		switch {
		case d.Since.From == deploy.SinceRead:
			text = fmt.Sprintf("two reads %s apart, because no samples of an earlier verify are kept", ago)
		case d.Since.From == deploy.SinceLast && ago > 0:
			text = fmt.Sprintf("since the last verify, %s ago", ago)
		case d.Since.From == deploy.SinceLast:
			text = "since the last verify"
		case doc.Since == string(deploy.SinceBoot):
			text = "since the device started"
		default:
			text = "since the device started, which was after the last verify"
		}
		if of[text] == nil {
			order = append(order, text)
		}
		of[text] = append(of[text], d.Name)
	}
	for _, text := range order {
		whose := ""
		if len(order) > 1 {
			whose = " of " + nodeset.Text(of[text], nodeset.Devices, math.MaxInt)
		}
		fmt.Fprintf(w, "Counters%s: %s.\n", whose, text)
	}
}

// keptSamples are the samples of a fabric, kept from one verify to the next.
type keptSamples struct {
	a       *app
	file    *samples.File // nil: there is no place for it
	samples map[string]*deploy.Kept
}

// keptSamples reads the samples of the last verify. What cannot be read is said, and treated as if there were none.
func (a *app) keptSamples(dir string, devices *fleet) *keptSamples {
	k := &keptSamples{a: a}
	if devices.labDir == labFresh { // they are gone when it ends
		return k
	}
	state, err := a.stateDir("samples")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		if devices.lab != nil { // simulated devices are others
			dir = "lab " + devices.labDir + " of " + dir
		}
		k.file = samples.Open(state, dir)
		k.samples, err = k.file.Load()
	}
	if err != nil {
		fmt.Fprintf(a.stderr, "rocec: the samples of the last verify cannot be used, so that every device is read twice: %s\n",
			diag.Escape(err.Error()))
	}
	return k
}

// keep replaces the samples of the devices that were read. Those of devices that the fabric does not have any more are dropped.
func (k *keptSamples) keep(fabric *target.Tree, read map[string]*deploy.Kept) {
	if k.file == nil {
		return
	}
	all := map[string]*deploy.Kept{}
	for _, d := range fabric.Devices {
		if s := cmp.Or(read[d.Name], k.samples[d.Name]); s != nil {
			all[d.Name] = s
		}
	}
	if err := k.file.Save(all); err != nil {
		fmt.Fprintf(k.a.stderr, "rocec: the samples cannot be kept for the next verify: %s\n", diag.Escape(err.Error()))
	}
}

package view

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view/senders"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/claims"
)

// Verify prints the results of verify. The document is from [VerifyJSON]; the plan contains the differences of each device. is has the
// states of the assumptions of the verdicts; nil: no device was asked.
func (v *Plan) Verify(r *report.Report, plan *deploy.Plan, doc VerifyDocument, from *Reports, is *claims.Result) {
	v.Drift = true
	w := v.W
	v.Groups(troubled(plan, doc), Page)
	compared(v, doc)
	acceptances(v, plan)
	v.findings(plan, doc)
	v.Watched(plan)
	v.seen(v.Seen)
	if is != nil && !v.Listed {
		listed(v, is.Findings, "assumptions")
	}
	if text := claimed.Count(r.Proofs, is); text != "" && (is.Read || from == nil) {
		v.Prose("", text)
	}
	v.hints(plan, doc)
	v.texts(senderTexts(doc), "senders: ")
	v.unreadable(doc)
	v.traffic(doc.Traffic)
	v.held(plan)
	v.pending(plan, v.Debts)
	sinceText(w, doc)
	unknown, others := "", ""
	if from != nil {
		v.reports(from, doc)
		unknown = fmt.Sprintf(", %d unknown", doc.Summary[VerifyUnknown])
	}
	if text := deploy.ByHand(r.Fabric); text != "" {
		v.Prose("", text+".")
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
	word := v.Paint(diag.Green, "good")
	if !doc.Good {
		text := "not as written"
		switch {
		case doc.Refused:
			text = "not as written (--strict)"
		case failed > 0 && doc.Summary[VerifyDrift] == 0:
			text = "not proved"
		}
		word = v.Paint(diag.Red, text)
	}
	if n := len(v.Seen.Findings); n > 0 {
		unknown += ", " + diag.Count(n, "finding") + " about ports and cables"
	}
	if n := len(doc.Claims); n > 0 {
		unknown += ", " + diag.Count(n, "finding") + " about assumptions"
	}
	kept, unsound := 0, 0
	for _, d := range doc.Devices {
		switch {
		case d.Kept:
			kept++
		case d.Unsound:
			unsound++
		}
	}
	if n := doc.Summary[VerifyOther] - kept; n > 0 {
		others = fmt.Sprintf(", %d other and sound", n)
	}
	others += acceptedText(kept)
	drifted := fmt.Sprintf("%d drifted", doc.Summary[VerifyDrift])
	if unsound > 0 {
		drifted = fmt.Sprintf("%s (%d unsound)", drifted, unsound)
	}
	fmt.Fprintf(w, "Verify: %s. %s as written%s, %s, %d unreachable, %d refused%s%s.\n", word,
		diag.Count(doc.Summary[VerifyGood], "device"), others, drifted, doc.Summary[string(deploy.StatusUnreachable)],
		doc.Summary[string(deploy.StatusRefused)], pendingText(doc.Summary[string(deploy.StatusPending)]), unknown)
}

// troubled removes devices from the plan: sound devices that it refuses to change, and devices that were compared by files.
func troubled(plan *deploy.Plan, doc VerifyDocument) *deploy.Plan {
	sound := map[string]bool{}
	for _, d := range doc.Devices {
		sound[d.Name] = d.Status == VerifyOther
	}
	out := *plan
	out.Devices = slices.DeleteFunc(slices.Clone(plan.Devices), func(d *deploy.DevicePlan) bool {
		return d.Err != nil && sound[d.Device.Name] || d.Err == nil && d.Filed != nil // its values are printed as diagnostics
	})
	return &out
}

// compared prints why devices that rocec has never written are sound or unsound, and since when other devices differ.
func compared(v *Plan, doc VerifyDocument) {
	var sound, unsound, since Texts
	for _, d := range doc.Devices {
		switch {
		case d.Kept: // the accept block is printed below
		case d.Status == VerifyOther:
			sound.Add(d.Reason+".", d.Name)
		case d.Status == VerifyDrift && d.Unsound:
			unsound.Add(d.Reason, d.Name)
		case d.Status == VerifyDrift && d.Reason != "" && d.Since != nil && len(d.Changes) > 0:
			since.Add(d.Reason+".", d.Name)
		}
	}
	v.texts(&sound, v.Paint(diag.Green, "other")+": ")
	v.texts(&unsound, v.Paint(diag.Red, "unsound")+": ")
	v.texts(&since, v.Paint(diag.Yellow, "drift")+": ")
}

// findings prints each finding of a probe once, with its devices. The plan itself shows why it refuses a device.
func (v *Plan) findings(plan *deploy.Plan, doc VerifyDocument) {
	found := map[string]*Texts{} // by probe
	refused := map[string]string{}
	for _, d := range plan.Devices {
		if d.Err != nil {
			refused[d.Device.Name] = d.Err.Detail
		}
	}
	var probes []string
	for _, d := range doc.Devices {
		for _, f := range d.Findings {
			if f.Code != "" || f.Message == refused[d.Name] { // told with the others of its kind
				continue
			}
			if found[f.Probe] == nil {
				found[f.Probe] = &Texts{}
				probes = append(probes, f.Probe)
			}
			found[f.Probe].Add(f.Message, d.Name)
		}
	}
	for _, probe := range probes {
		v.texts(found[probe], v.Paint(diag.Yellow, probe)+": ")
	}
}

// hints prints each hint once, with its devices. Notes about a device that differs are printed with its differences.
func (v *Plan) hints(plan *deploy.Plan, doc VerifyDocument) {
	var hints Texts
	differs := map[string]bool{}
	for _, d := range plan.Devices {
		differs[d.Device.Name] = d.Status == deploy.StatusChange || d.Status == deploy.StatusOthers
	}
	for _, d := range doc.Devices {
		for _, h := range d.Hints {
			if h.Code != "" || h.Probe == settingsProbe && differs[d.Name] { // told with the others of its kind
				continue
			}
			hints.Add(h.Message, d.Name)
		}
	}
	v.texts(&hints, "")
}

// senderTexts returns the answers about the senders of hosts, each once.
func senderTexts(doc VerifyDocument) *Texts {
	out := &Texts{}
	for i := range doc.Devices {
		for _, text := range senders.Texts(doc.Devices[i].Senders) {
			out.Add(text, doc.Devices[i].Name)
		}
	}
	return out
}

// unreadable names the facts that devices of a kind cannot report, so that a reader knows that they were not checked.
func (v *Plan) unreadable(doc VerifyDocument) {
	var facts Texts
	for _, d := range doc.Devices {
		for _, f := range d.Facts {
			if f.Value == target.NotReadable {
				facts.Add(f.Name+": "+f.Value+".", d.Name)
			}
		}
	}
	v.texts(&facts, "")
}

// texts prints each text with its devices, and a word before it.
func (s *Screen) texts(t *Texts, word string) {
	for _, text := range t.All {
		s.Prose(s.Paint(diag.Bold, nodeset.Text(t.Of[text], nodeset.Devices, math.MaxInt))+"  "+word, target.Escape(text))
	}
}

// sinceText prints the start of the comparison of counters: one line for all devices, or one for each kind.
func sinceText(w io.Writer, doc VerifyDocument) {
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

// traffic prints the results of the exchanges.
func (v *Plan) traffic(all []VerifyTraffic) {
	for _, t := range all {
		head := fmt.Sprintf("Traffic of %s, %s to %s", t.Intent, t.From, t.To)
		if t.Reason != "" {
			v.Prose("", head+": not sent: "+t.Reason+".")
			continue
		}
		fmt.Fprintf(v.W, "%s, by %s:\n", head, t.Tool)
		silent := 0
		for _, s := range t.Hops {
			at := s.Ports[0]
			if len(s.Ports) > 1 {
				at = fmt.Sprintf("%s and %d more", at, len(s.Ports)-1)
			}
			var parts []string
			for _, prio := range slices.Sorted(maps.Keys(s.Packets)) {
				parts = append(parts, fmt.Sprintf("%s in priority %d", target.Count(s.Packets[prio], "packet"), prio))
			}
			text := strings.Join(parts, ", ")
			switch {
			case !s.Told:
				silent++
				text = "does not tell"
			case s.Hidden && s.Says == "":
				silent++
				text = target.Count(s.All, "packet") + ", others' traffic hides it"
			case text == "":
				text = target.Count(s.All, "packet")
			}
			fmt.Fprintf(v.W, "  %-4s %s  %s\n", s.Way, at, text)
			if s.Says != "" {
				color := diag.Red
				if s.Hidden {
					color = diag.Yellow
				}
				v.Prose("       ", v.Paint(color, s.Says))
			}
		}
		switch {
		case t.Unproved != "":
			v.Prose("  ", "the packets arrived, but nothing proves their priority: "+t.Unproved+".")
		case !t.Good:
		case silent > 0:
			fmt.Fprintf(v.W, "  as described, according to the counters; %s of the path have none.\n", diag.Count(silent, "side"))
		default:
			fmt.Fprintln(v.W, "  marked, classified and carried as described.")
		}
	}
}

// Package policy reads the [Policy] of a site: a file of HCL with the limits of rocec there. Neither a fabric nor a flag overrides it.
//
//	forbid    = ["allow_deadlock", "--skip-cabling-check", "keys_on_disk"]
//	prefixes  = ["10.20.0.0/16"]   # rocec logs in to no other address
//	approvals = 2
//	message   = "CHG[0-9]{7}"      # what -m contains
//
//	window "weekend" {
//	  days = ["sat", "sun"]
//	  from = "22:00"
//	  to   = "04:00"
//	  zone = "Europe/Zurich"
//	}
package policy

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// The codes of a policy.
var (
	Invalid = diag.Topic{Code: "policy-invalid", Summary: "the policy cannot be used"}
	Forbids = diag.Topic{Code: "policy-forbids", Summary: "the policy of the site does not allow it"}
)

// Topics are the codes.
func Topics() []diag.Topic { return []diag.Topic{Invalid, Forbids} }

// Policy is a file that was read.
type Policy struct {
	Name      string
	Src       []byte
	Approvals int    // persons who approve a plan before it is applied
	Signers   string // path of the file of allowed signers; empty: the default one
	SignRuns  bool   // each run ends with a signature
	AuditLog  string // URL of a socket that gets the events of runs; empty: none

	forbid   map[string]diag.Range
	prefixes []netip.Prefix
	message  *regexp.Regexp // nil: any message
	windows  []window
	places   map[string]diag.Range // of attributes
}

// window is a time of the week at which runs may begin.
type window struct {
	days     []time.Weekday // the days on which it opens; empty: every day
	from, to time.Duration  // since midnight; to may be on the next day
	zone     *time.Location
	text     string
}

// The words of forbid that are no flags.
const (
	AllowDeadlock = "allow_deadlock" // in a cos_group: a PFC loop is accepted
	AllowUnproven = "allow_unproven" // in a cos_group: a proof that was not completed is accepted
	KeysOnDisk    = "keys_on_disk"   // private keys in files, rather than in an agent or a token
)

func words() []string { return []string{AllowDeadlock, AllowUnproven, KeysOnDisk} }

// Read reads the text of a file. flags are the flags that it may forbid, each with its dashes. The policy is nil after an error.
func Read(name string, src []byte, flags []string) (*Policy, diag.List) {
	r := &collector{p: &Policy{Name: name, Src: src, forbid: map[string]diag.Range{}, places: map[string]diag.Range{}}, flags: flags}
	if len(src) > parse.MaxFile {
		parse.TooLarge.Errorf(&r.ds, parse.Start(name), "%q is larger than %s. Name prefixes rather than addresses.", name,
			parse.Size(parse.MaxFile))
		return nil, r.ds
	}
	body, ok := parse.Body(name, src, &r.ds)
	if !ok {
		return nil, r.ds
	}
	for _, a := range parse.Attributes(body) {
		r.attribute(a)
	}
	for _, b := range body.Blocks {
		r.window(b)
	}
	if r.ds.HasErrors() {
		r.ds.Sort()
		return nil, r.ds
	}
	return r.p, nil
}

// collector collects what a file states, and its mistakes.
type collector struct {
	p     *Policy
	flags []string
	ds    diag.List
}

func (r *collector) errorf(at diag.Range, format string, args ...any) *diag.Diagnostic {
	return Invalid.Errorf(&r.ds, at, format, args...)
}

// attributes are the names at the top of a file.
const attributes = "allowed_signers approvals audit_log forbid message prefixes sign_runs"

func (r *collector) attribute(a *hclsyntax.Attribute) {
	r.p.places[a.Name] = a.SrcRange
	switch a.Name {
	case "allowed_signers":
		r.p.Signers = r.text(a.Name, a.Expr)
	case "audit_log":
		r.p.AuditLog = r.text(a.Name, a.Expr)
	case "approvals":
		n := int64(-1)
		if v, ok := parse.Literal(a.Expr); ok && !v.IsNull() && v.Type() == cty.Number && v.AsBigFloat().IsInt() {
			n, _ = v.AsBigFloat().Int64()
		}
		if n < 0 || n > mostApprovals {
			r.errorf(a.Expr.Range(), "approvals is a whole number from 0 to 9: the persons who approve a plan.")
		}
		r.p.Approvals = int(n)
	case "sign_runs":
		v, ok := parse.Literal(a.Expr)
		if !ok || v.IsNull() || v.Type() != cty.Bool {
			r.errorf(a.Expr.Range(), "sign_runs is true or false.")
			return
		}
		r.p.SignRuns = v.True()
	case "forbid":
		r.list(a.Name, a.Expr, func(at diag.Range, word string) {
			if !slices.Contains(words(), word) && !slices.Contains(r.flags, word) {
				r.errorf(at, "%q is nothing that a policy forbids.%s", diag.Cut(word), diag.Suggest(word, slices.Concat(words(), r.flags)))
			}
			r.p.forbid[word] = at
		})
	case "prefixes":
		r.list(a.Name, a.Expr, func(at diag.Range, text string) {
			prefix, err := netip.ParsePrefix(text)
			if err != nil || prefix != prefix.Masked() {
				r.errorf(at, "%q is no prefix. Write one such as \"10.20.0.0/16\" or \"2001:db8::/32\".", diag.Cut(text))
				return
			}
			r.p.prefixes = append(r.p.prefixes, prefix)
		})
	case "message":
		text := r.text(a.Name, a.Expr)
		re, err := regexp.Compile(text)
		if err != nil || text == "" {
			r.errorf(a.Expr.Range(), "%q is no regular expression of Go. Write one such as \"CHG[0-9]{7}\".", diag.Cut(text))
			return
		}
		r.p.message = re
	default:
		r.errorf(a.NameRange, "There is no %q in a policy.%s", diag.Cut(a.Name), diag.Suggest(a.Name, strings.Fields(attributes)))
	}
}

// mostApprovals bounds the persons who approve a plan.
const mostApprovals = 9

// text reads a string on one line.
func (r *collector) text(name string, e hclsyntax.Expression) string {
	v, ok := parse.Literal(e)
	if !ok || v.IsNull() || v.Type() != cty.String || v.AsString() == "" || strings.ContainsAny(v.AsString(), "\n\r\x00") {
		r.errorf(e.Range(), "%s is a text in quotes, on one line.", name)
		return ""
	}
	return v.AsString()
}

// list reads a list of strings.
func (r *collector) list(name string, e hclsyntax.Expression, each func(at diag.Range, text string)) {
	list, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok {
		r.errorf(e.Range(), "%s is a list of texts in quotes.", name)
		return
	}
	for _, one := range list.Exprs {
		if text := r.text("An element of "+name, one); text != "" {
			each(one.Range(), text)
		}
	}
}

// weekdays are the words of days, by [time.Weekday].
const weekdays = "sun mon tue wed thu fri sat"

func (r *collector) window(b *hclsyntax.Block) {
	switch {
	case b.Type != "window":
		r.errorf(b.TypeRange, "There is no block %q in a policy. Its blocks are window \"NAME\" { }.", diag.Cut(b.Type))
		return
	case len(b.Labels) != 1 || len(b.Body.Blocks) > 0:
		r.errorf(parse.Header(b), "A window has one label, its name, and no blocks in it: window \"weekend\" { }.")
		return
	}
	w := window{zone: time.UTC, from: -1, to: -1}
	clock := func(a *hclsyntax.Attribute) time.Duration {
		t, err := time.Parse("15:04", r.text(a.Name, a.Expr))
		if err != nil {
			r.errorf(a.Expr.Range(), "%s is a time of day such as \"22:00\".", a.Name)
		}
		return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	}
	for _, a := range parse.Attributes(b.Body) {
		switch a.Name {
		case "days":
			r.list(a.Name, a.Expr, func(at diag.Range, text string) {
				day := slices.Index(strings.Fields(weekdays), text)
				if day < 0 {
					r.errorf(at, "%q is no day. Days are sun, mon, tue, wed, thu, fri and sat.", diag.Cut(text))
				}
				w.days = append(w.days, time.Weekday(day))
			})
		case "from":
			w.from = clock(a)
		case "to":
			w.to = clock(a)
		case "zone":
			name := r.text(a.Name, a.Expr)
			zone, err := time.LoadLocation(name)
			if err != nil || name == "" {
				r.errorf(a.Expr.Range(), "This machine does not know the time zone %q. Write one such as \"Europe/Zurich\".", diag.Cut(name))
				continue
			}
			w.zone = zone
		default:
			r.errorf(a.NameRange, "There is no %q in a window.%s", diag.Cut(a.Name), diag.Suggest(a.Name, []string{"days", "from", "to", "zone"}))
		}
	}
	if (w.from < 0 || w.to < 0 || w.from == w.to) && !r.ds.HasErrors() {
		r.errorf(parse.Header(b), "A window has from and to, two times of day that differ.")
	}
	w.text = b.Labels[0]
	if _, known := r.p.places["window"]; !known {
		r.p.places["window"] = parse.Header(b)
	}
	r.p.windows = append(r.p.windows, w)
}

// has reports whether the window is open at a time.
func (w *window) has(at time.Time) bool {
	at = at.In(w.zone)
	since := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second
	on := func(day time.Weekday) bool { return len(w.days) == 0 || slices.Contains(w.days, day) }
	if w.from < w.to {
		return on(at.Weekday()) && w.from <= since && since < w.to
	}
	yesterday := (at.Weekday() + 6) % 7
	return on(at.Weekday()) && since >= w.from || on(yesterday) && since < w.to
}

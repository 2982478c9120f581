package eval

import (
	"fmt"
	"io/fs"
	"math"
	"net/netip"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/dscp"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// Kind is a kind of attribute values: its name in the manual, its description in messages, and the function that reads it.
type Kind[V any] struct {
	Name string // "size"
	Want string // "a size such as \"64KiB\", or a number of bytes"
	Read func(v cty.Value) (V, *Problem)
}

// ReadText reads a text from outside of a fabric by the same rules.
func (k Kind[V]) ReadText(text string) (V, *Problem) { return k.Read(cty.StringVal(text)) }

// Problem is the reason why a value cannot be read. With a nil Topic the type is wrong, and the caller writes the message.
type Problem struct {
	Topic  *diag.Topic
	Detail string
	meant  string // the valid word that was probably meant; may be empty
}

var Mistyped = &Problem{}

func Problemf(t *diag.Topic, format string, args ...any) *Problem {
	return &Problem{Topic: t, Detail: fmt.Sprintf(format, args...)}
}

var Boolean = Kind[bool]{"bool", "true or false", func(v cty.Value) (bool, *Problem) {
	if v.Type() != cty.Bool {
		return false, Mistyped
	}
	return v.True(), nil
}}

// Hint proposes a correction for a value of the wrong type: without its quotes, or with quotes. It is "" if no correction is clear.
func (k Kind[V]) Hint(v cty.Value) string {
	if v.IsNull() {
		return ""
	}
	reads := func(v cty.Value) bool {
		_, p := k.Read(v)
		return p == nil
	}
	switch v.Type() {
	case cty.String:
		s := strings.TrimSpace(v.AsString())
		if n, err := cty.ParseNumberVal(s); err == nil && len(s) < 20 && reads(n) {
			return fmt.Sprintf(" Write it without quotes: %s.", s)
		}
		for _, b := range []bool{true, false} {
			if strings.EqualFold(s, strconv.FormatBool(b)) && reads(cty.BoolVal(b)) {
				return fmt.Sprintf(" Write it without quotes: %t.", b)
			}
		}
	case cty.Number:
		if s, err := convert.Convert(v, cty.String); err == nil && reads(s) {
			return fmt.Sprintf(" Write it in quotes: %q.", s.AsString())
		}
	}
	return ""
}

// Integer is the kind of whole numbers from lo to hi.
func Integer(lo, hi int) Kind[int] {
	want := fmt.Sprintf("a whole number from %d to %d", lo, hi)
	return Kind[int]{fmt.Sprintf("number %d-%d", lo, hi), want, func(v cty.Value) (int, *Problem) {
		if v.Type() != cty.Number {
			return 0, Mistyped
		}
		return whole(v, lo, hi, want)
	}}
}

func whole(v cty.Value, lo, hi int, want string) (int, *Problem) {
	n := v.AsBigFloat()
	i, accuracy := n.Int64()
	if accuracy != 0 || !n.IsInt() || i < int64(lo) || i > int64(hi) {
		return 0, Problemf(&OutOfRange, "%s is not allowed. Expected %s.", diag.Cut(n.Text('g', 12)), want)
	}
	return int(i), nil
}

// pattern is the kind of strings that match a regular expression. The expression is compiled at its first use: compiling all of them
// would take longer than loading a small fabric.
func pattern(name, want, expr string) Kind[string] {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:` + expr + `)\z`) })
	return Kind[string]{name, want, func(v cty.Value) (string, *Problem) {
		if v.Type() != cty.String {
			return "", Mistyped
		}
		s := v.AsString()
		switch {
		case s == "":
			return "", Problemf(&BadValue, "The text is empty. Expected %s.", want)
		case len(s) > 255 || !re().MatchString(s):
			return "", Problemf(&BadValue, "%q is not well formed. Expected %s.", diag.Cut(s), want)
		}
		return s, nil
	}}
}

// checked is the kind of strings that a function accepts. The function returns the reason why it refuses a string.
func checked(want string, check func(string) (why string)) Kind[string] {
	return Kind[string]{"string", want, func(v cty.Value) (string, *Problem) {
		if v.Type() != cty.String {
			return "", Mistyped
		}
		if why := check(v.AsString()); why != "" {
			return "", Problemf(&BadValue, "%q is not allowed: %s. Expected %s.", diag.Cut(v.AsString()), why, want)
		}
		return v.AsString(), nil
	}}
}

// Strings that become parts of commands, files or SSH destinations contain no characters that are special to a shell or to ssh. The
// numbers of a release may follow a name and a dot or a dash, as in the builds that systems print.
var (
	ModelName = pattern("string", `the name of a model, such as "sn2700"`, `[A-Za-z0-9][A-Za-z0-9 ._+-]{0,62}`)
	Word      = pattern("string", `a name of letters, digits, ".", "_" and "-"`, `[A-Za-z0-9][A-Za-z0-9._-]{0,62}`)
	Release   = pattern("string", `a release in quotes, such as "4.3.0"`, `([A-Za-z]+(-[A-Za-z]+)*[.-])?[0-9][A-Za-z0-9._~+-]{0,63}`)
	Address   = checked(`an IP address or host name`, destination.CheckHost)
	Login     = checked(`a login name`, destination.CheckUser)
	JumpHosts = checked(`[user@]host[:port], or several separated by commas, or none`, func(s string) (why string) {
		_, why = destination.Jump(s)
		return why
	})
	HostKey = pattern("string", `a fingerprint as ssh-keygen -l prints it: "SHA256:" and 43 characters`, `SHA256:[A-Za-z0-9+/]{43}=?`)
	Site    = pattern("string", `the name of a site: 1 to 63 letters, digits, "-" and "_", such as "dc1"`,
		`[A-Za-z0-9][A-Za-z0-9_-]{0,62}`)
	ReasonText  = pattern("string", `a reason in quotes, on one line`, `[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*`)
	Person      = pattern("string", `a name in quotes, on one line`, `[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*`)
	FilePath    = Kind[string]{"path", `the path of a file below the fabric's folder, such as "fib.json"`, readPath}
	Description = Kind[string]{"string", "text", func(v cty.Value) (string, *Problem) {
		if v.Type() != cty.String {
			return "", Mistyped
		}
		return v.AsString(), nil
	}}
)

// Date is the kind of dates, which are days.
var Date = checked(`a date such as "2027-03-01"`, func(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "this is not a date"
	}
	return ""
})

// FrameSize is an MTU in bytes.
var FrameSize = Integer(1280, 16384)

// Glob is the kind of patterns of device names.
var Glob = Kind[string]{"glob", `a pattern of names such as "oob-*"`, func(v cty.Value) (string, *Problem) {
	if v.Type() != cty.String {
		return "", Mistyped
	}
	s := v.AsString()
	if _, err := path.Match(s, ""); err != nil || s == "" || len(s) > 255 {
		return "", Problemf(&BadValue, "%q is not a pattern of names. Write one such as \"oob-*\", with * for any characters, ? for one, and "+
			"[0-9] for one of a range.", diag.Cut(s))
	}
	return s, nil
}}

// readPath reads a relative path that stays in its folder.
func readPath(v cty.Value) (string, *Problem) {
	if v.Type() != cty.String {
		return "", Mistyped
	}
	name := path.Clean(v.AsString())
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, 0) {
		return "", Problemf(&BadValue, "%q is not a path of a file below the fabric's folder: such a path has no leading slash, and "+
			"no \"..\" that leaves the folder. Move the file there, or correct the path.", diag.Cut(v.AsString()))
	}
	return name, nil
}

// OneOf is the kind of strings from a fixed list.
func OneOf(words ...string) Kind[string] {
	want := `one of "` + strings.Join(words, `", "`) + `"`
	return Kind[string]{`"` + strings.Join(words, `", "`) + `"`, want, func(v cty.Value) (string, *Problem) {
		if v.Type() != cty.String {
			return "", Mistyped
		}
		for _, w := range words {
			if v.AsString() == w {
				return w, nil
			}
		}
		p := Problemf(&OutOfRange, "%q is not allowed. Expected %s.%s", diag.Cut(v.AsString()), want, diag.DidYouMean(v.AsString(), words))
		p.meant = diag.Nearest(v.AsString(), words)
		return "", p
	}}
}

// Reference is the kind of references to blocks of one kind, by name.
func Reference(block string) Kind[string] {
	want := fmt.Sprintf("a reference such as %s.NAME, without quotes", block)
	return Kind[string]{"reference to " + block, want, func(v cty.Value) (string, *Problem) {
		if v.Type() == cty.String && !v.IsNull() && hclsyntax.ValidIdentifier(v.AsString()) {
			return "", Problemf(&WrongType, "Expected a reference, not text. Write %s.%s, without quotes.", block, diag.Plain(v.AsString()))
		}
		if v.Type() != RefTypes[block] {
			return "", Mistyped
		}
		return v.EncapsulatedValue().(*BlockRef).Name, nil
	}}
}

// RootSwitch is the kind of a switch by name, or by a reference to a group of one switch. The loader resolves the reference.
var RootSwitch = Kind[string]{"name or reference to switch", `the name of a switch, or switch.GROUP`, func(v cty.Value) (string, *Problem) {
	switch v.Type() {
	case cty.String:
		if why := nodeset.CheckDevice(v.AsString()); why != "" {
			return "", &Problem{Topic: &BadName, Detail: why}
		}
		return v.AsString(), nil
	case RefTypes["switch"]:
		return RefPrefix + v.EncapsulatedValue().(*BlockRef).Name, nil
	}
	return "", Mistyped
}}

// quantity splits a string into number and unit: at most 15 digits, a fraction of at most 9, at most one space, and letters, "/" or
// "%". It uses no regular expression, which takes three times as long, since it reads two attributes of every link.
func quantity(s string) (n float64, unit string, ok bool) {
	const digits = "0123456789"
	rest := strings.TrimLeft(s, digits)
	whole := len(s) - len(rest)
	if whole < 1 || whole > 15 {
		return 0, "", false
	}
	if fraction, found := strings.CutPrefix(rest, "."); found {
		rest = strings.TrimLeft(fraction, digits)
		if places := len(fraction) - len(rest); places < 1 || places > 9 {
			return 0, "", false
		}
	}
	unit = strings.TrimPrefix(rest, " ")
	for _, c := range []byte(unit) {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && c != '/' && c != '%' {
			return 0, "", false
		}
	}
	n, err := strconv.ParseFloat(s[:len(s)-len(rest)], 64)
	return n, unit, err == nil
}

var ByteSize = sizeKind(1 << 40)

// sizeKind returns the kind of sizes in bytes, up to limit.
func sizeKind(limit int) Kind[int] {
	const want = `a size such as "64KiB" or "18000B", or a number of bytes`
	units := map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	return Kind[int]{"size", want, func(v cty.Value) (int, *Problem) {
		switch v.Type() {
		case cty.Number:
			return whole(v, 0, limit, "a number of bytes, at least 0")
		case cty.String:
			s := v.AsString()
			n, unit, ok := quantity(s)
			if !ok {
				return 0, Problemf(&WrongUnit, "%q is not a size. Write one such as \"64KiB\" or \"18000B\".", diag.Cut(s))
			}
			f, ok := units[unit]
			if !ok {
				return 0, Problemf(&WrongUnit, "%q has no unit of size.%s", diag.Cut(s), sizeHint(n, unit))
			}
			if n *= f; n > float64(limit) || n != math.Trunc(n) {
				return 0, Problemf(&OutOfRange, "%q is not allowed. Expected a whole number of bytes, at most %s.", diag.Cut(s), largest(limit))
			}
			return int(n), nil
		}
		return 0, Mistyped
	}}
}

// largest returns the bound of a size for a message.
func largest(limit int) string {
	if limit%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", limit>>30)
	}
	return parse.Size(limit)
}

// sizeHint proposes sizes for an ambiguous text such as "64K" or "64KB".
func sizeHint(n float64, unit string) string {
	power := map[byte]int{'k': 1, 'm': 2, 'g': 3}[strings.ToLower(unit + " ")[0]]
	if power == 0 {
		return ` Write one of the units B, KiB, MiB and GiB.`
	}
	num := strconv.FormatFloat(n, 'f', -1, 64)
	return fmt.Sprintf(" It could mean 1000 or 1024. Write %q (%.0f bytes) or \"%.0fB\".",
		num+string("KMG"[power-1])+"iB", n*math.Pow(1024, float64(power)), n*math.Pow(1000, float64(power)))
}

// Speed is the kind of speeds, in Mb/s.
var Speed = Kind[int]{"speed", `a speed such as "100G"`, func(v cty.Value) (int, *Problem) {
	switch v.Type() {
	case cty.Number:
		n := v.AsBigFloat().Text('f', -1)
		if inGigabits := inMegabits(n); inGigabits != "" {
			return 0, Problemf(&WrongUnit, "The number %s has no unit. Write %q, which is %s megabits per second, as switches write it.", n,
				inGigabits, n)
		}
		return 0, Problemf(&WrongUnit, "The number %s has no unit. Write \"%sG\" for gigabits, or \"%sM\" for megabits per second.",
			diag.Cut(n), diag.Cut(n), diag.Cut(n))
	case cty.String:
		s := v.AsString()
		n, unit, ok := quantity(s)
		if !ok {
			return 0, Problemf(&WrongUnit, "%q is not a speed. Write one such as \"25G\" or \"100G\".", diag.Cut(s))
		}
		f, ok := map[string]float64{"m": 1, "g": 1e3, "t": 1e6}[strings.ToLower(speedSuffix().ReplaceAllString(unit, ""))]
		if !ok {
			num, megabits := strconv.FormatFloat(n, 'f', -1, 64), "megabits per second"
			if inGigabits := inMegabits(num); inGigabits != "" && unit == "" {
				return 0, Problemf(&WrongUnit, "%q has no unit of speed. Write %q, which is %s megabits per second, as switches write it.",
					diag.Cut(s), inGigabits, num)
			}
			if n >= 1000 { // no port has this speed in gigabits
				return 0, Problemf(&WrongUnit, "%q has no unit of speed. Write \"%sM\" for %s.", diag.Cut(s), num, megabits)
			}
			return 0, Problemf(&WrongUnit, "%q has no unit of speed. Write \"%sG\" for gigabits, or \"%sM\" for %s.",
				diag.Cut(s), num, num, megabits)
		}
		if n *= f; n < 1 || n > 10e6 || n != math.Trunc(n) {
			return 0, Problemf(&OutOfRange, "%q is not allowed. Expected a speed from 1M to 10T.", diag.Cut(s))
		}
		return int(n), nil
	}
	return 0, Mistyped
}}

// inMegabits converts a speed of ports in Mb/s, as in CONFIG_DB of SONiC, to gigabits: "25000" to "25G". It returns "" for a number
// that is no such speed.
func inMegabits(n string) string {
	switch n {
	case "1000", "10000", "25000", "40000", "50000", "100000", "200000", "400000", "800000", "1600000":
		return strings.TrimSuffix(n, "000") + "G"
	}
	return ""
}

var speedSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:bps|bit/s|b/s|bit|b)\z`) })

// Length is the kind of lengths, in metres.
var Length = Kind[float64]{"length", `a length such as "30m", or a number of metres`, func(v cty.Value) (float64, *Problem) {
	var n float64
	switch v.Type() {
	case cty.Number:
		n, _ = v.AsBigFloat().Float64()
	case cty.String:
		s := v.AsString()
		q, unit, ok := quantity(s)
		f, known := map[string]float64{"m": 1, "km": 1000, "cm": 0.01, "ft": 0.3048}[unit]
		point := strings.Replace(s, ",", ".", 1)
		if _, _, reads := quantity(point); !ok && reads {
			return 0, Problemf(&WrongUnit, "%q has a comma, but a fraction needs a point. Write \"%s\".", diag.Cut(s), withMetres(point))
		}
		if !ok || !known {
			return 0, Problemf(&WrongUnit, "%q is not a length. Write one such as \"3m\", \"0.5km\" or \"10ft\".", diag.Cut(s))
		}
		n = q * f
	default:
		return 0, Mistyped
	}
	if !(n > 0 && n <= 100_000) {
		return 0, Problemf(&OutOfRange, "A cable cannot have this length. Expected more than 0 and at most 100 km, not %s.", Describe(v))
	}
	return n, nil
}}

// withMetres adds the unit to a length without one.
func withMetres(length string) string {
	if _, unit, _ := quantity(length); unit == "" {
		return length + "m"
	}
	return length
}

// Percent is the kind of percentages from 1 to 100.
var Percent = Kind[int]{"percent", `a percentage such as 50 or "50%"`, func(v cty.Value) (int, *Problem) {
	const want = "a whole percentage from 1 to 100"
	switch v.Type() {
	case cty.Number:
		n, p := whole(v, 1, 100, want)
		if f, _ := v.AsBigFloat().Float64(); p != nil && f >= 0.01 && f < 1 {
			p.Detail += fmt.Sprintf(" Write %.0f for %s.", 100*f, diag.Cut(v.AsBigFloat().Text('g', 12)))
		}
		return n, p
	case cty.String:
		n, unit, ok := quantity(v.AsString())
		if !ok || unit != "%" {
			return 0, Problemf(&WrongUnit, "%q is not a percentage. Write one such as 50 or \"50%%\".", diag.Cut(v.AsString()))
		}
		if n < 1 || n > 100 || n != math.Trunc(n) {
			return 0, Problemf(&OutOfRange, "%q is not allowed. Expected %s.", diag.Cut(v.AsString()), want)
		}
		return int(n), nil
	}
	return 0, Mistyped
}}

// CodePoint is the kind of DSCPs, by number or by name, see package dscp.
var CodePoint = Kind[int]{"DSCP", `a DSCP: 0 to 63, or a name such as "af31", "cs6" or "ef"`, func(v cty.Value) (int, *Problem) {
	const want = "0 to 63, cs0 to cs7, af11 to af43, ef, be or voice-admit"
	switch v.Type() {
	case cty.Number:
		return whole(v, 0, 63, "a DSCP: "+want)
	case cty.String:
		s := v.AsString()
		if n, ok := dscp.Parse(s); ok {
			return n, nil
		}
		if _, err := strconv.Atoi(s); err == nil {
			return 0, Mistyped
		}
		return 0, Problemf(&OutOfRange, "%q is not a DSCP. Expected %s.", diag.Cut(s), want)
	}
	return 0, Mistyped
}}

// Prefix is the kind of IP addresses, with or without the length of the prefix. It keeps host bits.
var Prefix = Kind[netip.Prefix]{
	"address or prefix", `an IP address such as "192.0.2.1" or "192.0.2.1/24"`,
	func(v cty.Value) (netip.Prefix, *Problem) {
		if v.Type() != cty.String {
			return netip.Prefix{}, Mistyped
		}
		s := v.AsString()
		if p, err := netip.ParsePrefix(s); err == nil {
			return p, nil
		}
		if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
			return netip.PrefixFrom(a, a.BitLen()), nil
		}
		return netip.Prefix{}, Problemf(&BadValue, "%q is not an IP address. Write one such as \"192.0.2.1\" or \"192.0.2.1/24\".", diag.Cut(s))
	},
}

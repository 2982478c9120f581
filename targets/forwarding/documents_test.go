package forwarding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// byDecoder reads an answer with encoding/json alone.
func byDecoder(name string, data []byte) (*Answer, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(data) > MaxFile {
		return nil, errWhole
	}
	return read(name, &decoder{json.NewDecoder(bytes.NewReader(data))}, false)
}

// byScanner reads an answer with the scanner alone.
func byScanner(name, text string) (*Answer, error) {
	return read(name, &scanner{data: []byte(text)}, true)
}

// sameRead requires the same result of Read and of encoding/json.
func sameRead(t require.TestingT, name string, data []byte) {
	want, not := byDecoder(name, data)
	got, err := Read(name, data)
	require.Equal(t, not, err, "%q", data)
	require.Equal(t, want, got, "%q", data)
}

// hops returns routes of FRRouting through interfaces.
func hops(names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"fib":true,"interfaceName":%q}`, name))
	}
	return `[{"selected":true,"nexthops":[` + strings.Join(all, ",") + `]}]`
}

// twice returns rows with the routes of a prefix, and one more route with the same prefix.
func twice(prefix, other string) string {
	const row = `{"dst":"%s","metric":1,"nexthops":[%s]}`
	return fmt.Sprintf(row, prefix, `{"dev":"a"},{"dev":"b"},{"dev":"c"}`) + "," + fmt.Sprintf(row, prefix, `{"dev":"`+other+`"}`)
}

// almost are answers that a quick reader could read in another way than encoding/json.
var almost = []string{
	`[{"dst":"10.1.0.0/24","dev":"a"},{"dst":"10.2.0.0/24","dev":"a","dst":"10.3.0.0/24"}]`,
	`[{"dst":"10.1.0.0/24","DST":"10.3.0.0/24"},{"dst":"10.2.0.0/24","DST":"10.3.0.0/24"}]`,
	`[{"dst":"10.1.0.0/24","d` + "\u017f" + `t":"10.3.0.0/24"},{"dst":"10.2.0.0/24","d` + "\u017f" + `t":"10.3.0.0/24"}]`,
	`[{"dst":"10.1.0.0/24","d\u0073t":"10.3.0.0/24"},{"dst":"10.2.0.0/24","d\u0073t":"10.3.0.0/24"}]`,
	`[{"dst":"10.1.0.0/24","dst":null},{"dst":"10.2.0.0/24","dst":null}]`,
	`[{"dst":"10.1.0.0/24","table":"red"},{"dst":"x` + "\n" + `","table":"red"}]`,
	`[{"dst":"10.1.0.0/24","table":"red"},{"dst":"","table":"red"}]`,
	`[{"dst":"10.1.0.0/24"},{"dst":"10.2.0.0/24",}]`,
	`[{"dst":"10.1.0.0/24"}}]`, `[{"dst":"10.1.0.0/24"]]`, `[[{"dst":"10.1.0.0/24"}]]`, `[{"dst":"10.1.0.0/24"},]`,
	`[,{"dst":"10.1.0.0/24"}]`,
	`[{"dst":"10.1.0.0/24"} {"dst":"10.2.0.0/24"}]`, `[{"dst":"10.1.0.0/24"}]{}`, `[{"dst":"10.1.0.0/24"}] x`, `[{"dst":"10.1.0.0/24"}}`,
	`[{"dst":"10.1.0.0/24","dev":"\u0061"},{"dst":"10.2.0.0/24","dev":"a"}]`, `[{"dst":"10.1.0.0/24","dev":"` + "\xff" + `"}]`,
	`[{"dst":"10.1.0.0/24","ifname":"a"}]`, `[{"dst":"10.1.0.0/24","nexthops":[{"dev":"a"}],"nexthops":[{}]}]`, `[null, {}, 1]`, `[null]`,
	`{"10.1.0.0/24":[{"selected":true}],"10.2.0.0/24":[{"selected":true}}`, `{"10.1.0.0/24":[{"selected":true}]"10.2.0.0/24":[]}`,
	"[" + twice("10.1.0.0/24", "d") + "," + twice("10.2.0.0/24", "e") + "]", // equal routes have no memory in common
	`{"10.1.0.0/24":` + hops("a", "b", "c") + `,"10.1.0.0/24":` + hops("d") + `,"10.2.0.0/24":` + hops("a", "b", "c") +
		`,"10.2.0.0/24":` + hops("e") + "}",
	`{"10.1.0.0/24":null}`, `{"10.1.0.0/24":[],}`, `{,"10.1.0.0/24":[]}`, `{"10.1.0.0/24":[]]`, `{"10.1.0.0/24":[}]}`, `{"10.1.0.0/24" []}`,
	`{"10.1.0.0\/24":[]}`, `{"10.1.0.0/24":[],"10.1.0.0/24":[]}`,
	`{"10.1.0.0/24":[]}` + "\x00", "\f{}", " \t\r\n{ } [ ] ", "{}[]", "[][]", "[][][]",
}

// TestSameAsEncodingJSON: duplicate and other keys, wrong brackets and commas, escapes and bytes that are no text have the same result.
func TestSameAsEncodingJSON(t *testing.T) {
	for _, text := range almost {
		for _, name := range Names {
			sameRead(t, name, []byte(text))
		}
	}
	for _, depth := range []int{9_998, 9_999, 10_000, 10_001} { // encoding/json refuses more than 10,000
		for _, form := range []string{`[{"dst":"10.1.0.0/24","via":%s}]`, `{"10.1.0.0/24":[{"seg6":%s}]}`, `{"10.1.0.0/24":%s}`, `[%s]`} {
			sameRead(t, Names[0], fmt.Appendf(nil, form, strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		}
	}
}

// rows are members and elements of answers, in the form of programs.
var rows = struct{ keys, values, list, interfaces []string }{
	[]string{"10.1.0.0/24", "10.1.0.0/24", "10.2.0.0/16", "10.0.0.0/8", "0.0.0.0/0", "10.3.0.1/32", "169.254.0.0/16"},
	[]string{
		`[]`, `[{"protocol":"bgp","selected":true,"nexthops":[{"fib":true,"interfaceName":"swp1"},{"fib":true,"interfaceName":"swp2"}]}]`,
		`[{"protocol":"local","selected":true,"nexthops":[{"fib":true,"interfaceName":"swp1"}]}]`,
		`[{"protocol":"connected","selected":true,"nexthops":[{"fib":true,"interfaceName":"swp3"}]}, {"protocol":"bgp","nexthops":[]}]`,
		`[{"protocol":"static","selected":true,"nexthops":[{"fib":true,"unreachable":true}]}]`,
	},
	[]string{
		`,"dev":"swp1","protocol":"bgp","metric":20,"flags":[]}`, `,"dev":"swp2","metric":20}`, `,"protocol":"bgp","nexthops":[{"dev":"swp1"}]}`,
		`,"dev":"swp3","prefsrc":"10.3.0.1","protocol":"kernel"}`, `,"type":"blackhole","flags":[]}`, `,"table":"red","dev":"swp1"}`, `}`,
	},
	[]string{
		`{"ifname":"swp1","flags":["UP"],"addr_info":[{"local":"10.3.0.1","scope":"global"}]}`, `{}`,
		`{"ifname":"br0", "linkinfo": {"info_kind":"bridge","info_data":{"ageing_time":30000,"bridge_id":"8000.0:11:22:33:44:55"}}}`,
		`{"ifname":"swp2","master":"br0","linkinfo":{"info_slave_kind":"bridge","info_slave_data":{"state":"forwarding"}}}`,
	},
}

// drawAnswer draws an answer in the form of a program: routes of FRRouting or of ip, or interfaces.
func drawAnswer(t *rapid.T) string {
	var all []string
	keys := rapid.SliceOfN(rapid.SampledFrom(rows.keys), 0, 9).Draw(t, "prefixes")
	switch rapid.SampledFrom([]string{"FRRouting", "ip route", "ip addr"}).Draw(t, "program") {
	case "FRRouting":
		for _, key := range keys {
			all = append(all, fmt.Sprintf("%q: %s", key, rapid.SampledFrom(rows.values).Draw(t, "routes")))
		}
		return "{\n" + strings.Join(all, ",\n") + "\n}\n"
	case "ip route":
		for _, key := range keys {
			all = append(all, fmt.Sprintf(`{"dst":%q%s`, key, rapid.SampledFrom(rows.list).Draw(t, "route")))
		}
	default:
		all = rapid.SliceOfN(rapid.SampledFrom(rows.interfaces), 0, 9).Draw(t, "interfaces")
	}
	return "[" + strings.Join(all, ",") + "]"
}

// pieces are texts that replace some bytes of an answer.
var pieces = []string{"", `"`, `\`, ",", "{", "}", "[", "]", ":", " ", "\n", "\xff", "\u017f", `"dst":"::",`, "1", "null"}

// TestScannerLaw: the scanner alone reads an answer in the form of a program with the result of encoding/json. After a change of some
// bytes, Read still has this result.
func TestScannerLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawAnswer(t)
		want, err := byDecoder(Names[0], []byte(text))
		require.NoError(t, err)
		got, err := byScanner(Names[0], text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		data := []byte(text)
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			rest := data[min(at+rapid.IntRange(0, 3).Draw(t, "without"), len(data)):]
			data = slices.Concat(data[:at], []byte(rapid.SampledFrom(pieces).Draw(t, "piece")), rest)
			if len(data) == 0 {
				break
			}
		}
		sameRead(t, Names[0], data)
	})
}

// TestManyTexts: rows with more different texts than are known at the same time have the same result.
func TestManyTexts(t *testing.T) {
	var frr, ip []string
	for i := range 2 * (mostKnown + 9) {
		dev, to := fmt.Sprint("swp", i/2), fmt.Sprintf("10.%d.%d.0/24", i/256, i%256)
		frr, ip = append(frr, fmt.Sprintf("%q:%s", to, hops(dev))), append(ip, fmt.Sprintf(`{"dst":%q,"dev":%q}`, to, dev))
	}
	for _, text := range []string{"{" + strings.Join(frr, ",") + "}", "[" + strings.Join(ip, ",") + "]"} {
		sameRead(t, Names[0], []byte(text))
	}
}

// FuzzSameAsEncodingJSON compares Read with encoding/json on the same bytes.
func FuzzSameAsEncodingJSON(f *testing.F) {
	for i, text := range almost {
		f.Add(Names[i%len(Names)], []byte(text))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) { sameRead(t, name, data) })
}

// TestReadAllocates: rows that are equal but for their prefix are decoded once, so that a kept answer costs two allocations per prefix at
// most. encoding/json alone needs more than ten.
func TestReadAllocates(t *testing.T) {
	const prefixes = 5000
	var frr, ip strings.Builder
	for i := range prefixes {
		comma := strings.Repeat(",", min(i, 1))
		fmt.Fprintf(&frr, `%s"10.%d.%d.0/24":%s`, comma, i/256, i%256, rows.values[1])
		fmt.Fprintf(&ip, `%s{"dst":"10.%d.%d.0/24"%s`, comma, i/256, i%256, rows.list[2])
	}
	for _, text := range []string{"{" + frr.String() + "}", "[" + ip.String() + "]"} {
		data := []byte(text)
		few := testing.AllocsPerRun(3, func() {
			a, err := Read(Names[0], data)
			require.NoError(t, err)
			require.Len(t, a.Routes[IPv4].List, prefixes)
		})
		require.Less(t, few, 2.0*prefixes)
		many := testing.AllocsPerRun(1, func() { _, _ = byDecoder(Names[0], data) })
		require.Greater(t, many, 10.0*prefixes)
	}
}

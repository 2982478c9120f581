package lang

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/rocec/rocec/lang/eval"
)

// TestFunctions evaluates function calls, and the other expressions of the language.
func TestFunctions(t *testing.T) {
	for _, tc := range []struct{ expr, want string }{
		{`abs(-1)`, `1`},
		{`base64decode("aGk=")`, `"hi"`},
		{`base64encode("hi")`, `"aGk="`},
		{`can(tonumber("x"))`, `false`},
		{`ceil(1.2)`, `2`},
		{`chomp("a\n")`, `"a"`},
		{`chunklist([1, 2, 3], 2)`, `[[1,2],[3]]`},
		{`cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`},
		{`cidrhost("10.0.0.0/24", -1)`, `"10.0.0.255"`},
		{`cidrhost("2001:db8::/64", 256)`, `"2001:db8::100"`},
		{`cidrnetmask("10.0.0.0/12")`, `"255.240.0.0"`},
		{`cidrsubnet("10.0.0.0/8", 8, 3)`, `"10.3.0.0/16"`},
		{`cidrsubnet("2001:db8::/32", 16, 18)`, `"2001:db8:12::/48"`},
		{`coalesce(null, "", "a")`, `"a"`},
		{`coalescelist([], [1])`, `[1]`},
		{`compact(["a", "", "b"])`, `["a","b"]`},
		{`concat([1], ["a"])`, `[1,"a"]`},
		{`contains(["a"], "a")`, `true`},
		{`csvdecode("a,b\n1,2\n")`, `[{"a":"1","b":"2"}]`},
		{`distinct([1, 1, 2])`, `[1,2]`},
		{`element(["a", "b"], 3)`, `"b"`},
		{`endswith("abc", "bc")`, `true`},
		{`file("note.txt")`, `"hello"`},
		{`flatten([[1], [2, [3]]])`, `[1,2,3]`},
		{`floor(1.8)`, `1`},
		{`format("leaf%02d", 7)`, `"leaf07"`},
		{`formatlist("p%d", [1, 2])`, `["p1","p2"]`},
		{`index(["a", "b"], "b")`, `1`},
		{`join("-", ["a", "b"])`, `"a-b"`},
		{`join("-", range(3))`, `"0-1-2"`},
		{`jsondecode("{\"a\":[1]}")`, `{"a":[1]}`},
		{`jsonencode({a = 1})`, `"{\"a\":1}"`},
		{`keys({b = 1, a = 2})`, `["a","b"]`},
		{`length([1, 2])`, `2`},
		{`length("añb")`, `3`},
		{`lookup({a = 1}, "b", 2)`, `2`},
		{`lower("AB")`, `"ab"`},
		{`max(1, 3, 2)`, `3`},
		{`max(range(100)...)`, `99`},
		{`merge({a = 1}, {a = 2, b = 3})`, `{"a":2,"b":3}`},
		{`min(1, 3)`, `1`},
		{`nodeset("a[1-2]:swp[1-2]")`, `["a1:swp1","a1:swp2","a2:swp1","a2:swp2"]`},
		{`nodeset("leaf[01-02]")`, `["leaf01","leaf02"]`},
		{`one([7])`, `7`},
		{`parseint("ff", 16)`, `255`},
		{`pow(2, 10)`, `1024`},
		{`range(3)`, `[0,1,2]`},
		{`range(1, 7, 3)`, `[1,4]`},
		{`length(range(4096))`, `4096`},
		{`regex("[0-9]+", "a12b")`, `"12"`},
		{`regexall("[0-9]", "a12b")`, `["1","2"]`},
		{`replace("a-b", "-", "+")`, `"a+b"`},
		{`replace("a12", "/[0-9]/", "x")`, `"axx"`},
		{`reverse([1, 2])`, `[2,1]`},
		{`setintersection(toset(["a", "b"]), toset(["b"]))`, `["b"]`},
		{`setproduct(["a"], ["x", "y"])`, `[["a","x"],["a","y"]]`},
		{`setsubtract(toset(["a", "b"]), toset(["b"]))`, `["a"]`},
		{`setunion(toset(["a"]), toset(["b"]))`, `["a","b"]`},
		{`signum(-3)`, `-1`},
		{`slice([1, 2, 3], 1, 2)`, `[2]`},
		{`sort(["b", "a"])`, `["a","b"]`},
		{`split(",", "a,b")`, `["a","b"]`},
		{`startswith("abc", "ab")`, `true`},
		{`substr("hello", 1, 3)`, `"ell"`},
		{`sum([1, 2.5])`, `3.5`},
		{`title("ab cd")`, `"Ab Cd"`},
		{`tobool("true")`, `true`},
		{`tolist(toset([1]))`, `[1]`},
		{`tomap({a = 1})`, `{"a":1}`},
		{`tonumber("3")`, `3`},
		{`toset(["a", "a"])`, `["a"]`},
		{`length(toset(range(1000)))`, `1000`},
		{`tostring(1)`, `"1"`},
		{`transpose({a = ["x", "y"]})`, `{"x":["a"],"y":["a"]}`},
		{`trim("xax", "x")`, `"a"`},
		{`trimprefix("ab", "a")`, `"b"`},
		{`trimspace(" a ")`, `"a"`},
		{`trimsuffix("ab", "b")`, `"a"`},
		{`try(tonumber("x"), 2)`, `2`},
		{`upper("a")`, `"A"`},
		{`values({b = 1, a = 2})`, `[2,1]`},
		{`zipmap(["a"], [1])`, `{"a":1}`},
		{`true ? 1 : "a"`, `1`},
		{`[for k, v in {a = 1} : "${k}${v}"]`, `["a1"]`},
		{`[{a = 1}, {a = 2}][*].a`, `[1,2]`},
		{`"%{for x in ["a", "b"]}${x}%{if x == "a"},%{endif}%{endfor}"`, `"a,b"`},
		{`{for h in ["a", "b"] : h => upper(h) if h != "a"}`, `{"b":"B"}`},
		{`[for a in [1, 2] : [for b in [3, 4] : a * b]]`, `[[3,4],[6,8]]`},
	} {
		got, ds := evaluate(tc.expr)
		require.Empty(t, ds, tc.expr)
		js, err := ctyjson.Marshal(got, got.Type())
		require.NoError(t, err)
		require.Equal(t, tc.want, string(js), tc.expr)
	}
	for _, f := range eval.Functions {
		require.NotEmpty(t, f.Doc, f.Name)
		require.NotEmpty(t, f.Args, f.Name)
	}
	require.True(t, slices.IsSortedFunc(eval.Functions, func(a, b eval.Function) int { return strings.Compare(a.Name, b.Name) }))
}

// evaluate evaluates one expression as the value of a local.
func evaluate(expr string) (cty.Value, string) {
	var got cty.Value
	fsys := fstest.MapFS{"x.hcl": {Data: []byte("fabric \"f\" {}\nlocals { x = " + expr + " }\n")}, "note.txt": {Data: []byte("hello")}}
	l := newLoader(fsys, ".", Options{})
	top, ds := l.load()
	if loc := top.Locals["x"]; loc != nil && loc.OK {
		got = loc.Value
	}
	return got, show(l.src, ds)
}

// TestFunctionExamples evaluates the examples of the manual.
func TestFunctionExamples(t *testing.T) {
	for _, f := range eval.Functions {
		require.True(t, strings.HasPrefix(f.Example, f.Name+"("), f.Name)
		got, ds := evaluate(f.Example)
		require.Empty(t, ds, f.Name)
		js, err := ctyjson.Marshal(got, got.Type())
		require.NoError(t, err, f.Name)
		require.Equal(t, f.Gives, string(js), f.Name)
	}
}

// TestFunctionEdges checks that functions behave as in Terraform for unusual arguments.
func TestFunctionEdges(t *testing.T) {
	for expr, want := range map[string]string{
		`alltrue([])`:                               `true`,
		`alltrue([true, null])`:                     `false`,
		`alltrue(["true", true])`:                   `true`,
		`anytrue([])`:                               `false`,
		`anytrue([null, true])`:                     `true`,
		`basename("a")`:                             `"a"`,
		`dirname("a")`:                              `"."`,
		`ceil(-1.5)`:                                `-1`,
		`floor(-1.5)`:                               `-2`,
		`chunklist([1, 2], 0)`:                      `[[1,2]]`,
		`chunklist([], 2)`:                          `[]`,
		`cidrhost("2001:db8::/126", -1)`:            `"2001:db8::3"`,
		`cidrhost("192.0.2.77/24", 1)`:              `"192.0.2.1"`,
		`cidrsubnet("10.0.0.0/8", 0, 0)`:            `"10.0.0.0/8"`,
		`cidrsubnets("10.1.0.0/16")`:                `[]`,
		`cidrsubnets("10.1.0.0/16", 8, 4)`:          `["10.1.0.0/24","10.1.16.0/20"]`,
		`cidrsubnets("10.1.0.0/30", 1, 2, 2)`:       `["10.1.0.0/31","10.1.0.2/32","10.1.0.3/32"]`,
		`cidrsubnets("fd00::/48", 16, 80)`:          `["fd00::/64","fd00:0:0:1::/128"]`,
		`cidrcontains("10.0.0.0/8", "10.0.0.0/4")`:  `false`,
		`cidrcontains("10.0.0.0/8", "2001:db8::1")`: `false`,
		`cidrcontains("10.0.0.0/8", "10.0.0.0/8")`:  `true`,
		`compact([])`:                               `[]`,
		`concat([], [])`:                            `[]`,
		`contains([], "a")`:                         `false`,
		`distinct([])`:                              `[]`,
		`element(["a", "b", "c"], 4)`:               `"b"`,
		`element(["a", "b", "c"], -1)`:              `"c"`,
		`flatten([])`:                               `[]`,
		`formatlist("p%d", [])`:                     `[]`,
		`format("%s %%", "ä")`:                      `"ä %"`,
		`format("%05.1f", 3.14159)`:                 `"003.1"`,
		`format("%q", "a")`:                         `"\"a\""`,
		`indent(0, "a\nb")`:                         `"a\nb"`,
		`indent(2, "")`:                             `""`,
		`join(",", [])`:                             `""`,
		`keys({})`:                                  `[]`,
		`length("")`:                                `0`,
		`length({})`:                                `0`,
		`length("🇩🇪")`:                              `1`,
		`lookup({}, "a", 1)`:                        `1`,
		`lower("ÄÖ")`:                               `"äö"`,
		`matchkeys([], [], ["a"])`:                  `[]`,
		`matchkeys([1, 2], ["a", "b"], [])`:         `[]`,
		`max(-1)`:                                   `-1`,
		`merge({}, {})`:                             `{}`,
		`one([])`:                                   `null`,
		`parseint("-ff", 16)`:                       `-255`,
		`pow(2, -1)`:                                `0.5`,
		`range(0)`:                                  `[]`,
		`range(3, 0)`:                               `[3,2,1]`,
		`range(-2)`:                                 `[0,-1]`,
		`range(0, 1, 0.5)`:                          `[0,0.5]`,
		`regexall("z", "a")`:                        `[]`,
		`regex("(?P<n>[0-9]+)", "leaf07")`:          `{"n":"07"}`,
		`replace("abc", "", "-")`:                   `"-a-b-c-"`,
		`replace("leaf07", "/([a-z]+)([0-9]+)/", "$2-$1")`: `"07-leaf"`,
		`reverse([])`:             `[]`,
		`setproduct([], ["a"])`:   `[]`,
		`signum(0)`:               `0`,
		`slice([1], 1, 1)`:        `[]`,
		`sort([])`:                `[]`,
		`sort(["b10", "b2"])`:     `["b10","b2"]`,
		`split(",", "")`:          `[""]`,
		`startswith("a", "")`:     `true`,
		`strrev("añ🇩🇪")`:          `"🇩🇪ña"`,
		`strcontains("a", "")`:    `true`,
		`substr("hello", -3, -1)`: `"llo"`,
		`substr("añb", 1, 1)`:     `"ñ"`,
		`title("añ")`:             `"Añ"`,
		`tonumber("1e3")`:         `1000`,
		`toset([])`:               `[]`,
		`transpose({})`:           `{}`,
		`trim("xxaxx", "x")`:      `"a"`,
		`trimprefix("a", "b")`:    `"a"`,
		`trimspace("\n a\t")`:     `"a"`,
		`try(null, 1)`:            `null`,
		`values({})`:              `[]`,
		`zipmap([], [])`:          `{}`,
	} {
		got, ds := evaluate(expr)
		if !assert.Empty(t, ds, expr) {
			continue
		}
		js, err := ctyjson.Marshal(got, got.Type())
		require.NoError(t, err, expr)
		assert.Equal(t, want, string(js), expr)
	}
}

func TestFunctionErrors(t *testing.T) {
	for expr, want := range map[string]string{
		`cidrhost("10.0.0.0/24", 256)`:        "no such address",
		`cidrhost("10.0.0.0", 1)`:             "expected a prefix",
		`cidrsubnet("10.0.0.0/24", 9, 0)`:     "0 to 8 bits",
		`cidrsubnet("10.0.0.0/24", 1, 2)`:     "no such prefix",
		`range(1, 2, 0)`:                      "step is zero",
		`range(5000)`:                         "more than 4096",
		`one([1, 2])`:                         "more than one",
		`sum(["a"])`:                          "not every element",
		`file("../x")`:                        "below the fabric's folder",
		`tolist([1, {}])`:                     "elements are of different types",
		`cidrsubnets("10.0.0.0/24", 1, 1, 1)`: "no room is left",
		`cidrsubnets("10.0.0.0/24", 0)`:       "1 to 8 bits",
		`cidrcontains("10.0.0.0/8", "x")`:     "expected an address",
		`matchkeys(["a"], [], [])`:            "not as many keys",
		`indent(99999999, "a")`:               "far too large",
		`index([], "a")`:                      "is not in the list",
		`log(0, 2)`:                           "not a number",
		`log(-1, 0)`:                          "not a number",
		`pow(-1, 0.5)`:                        "not a number",
		`pow(2, 5000)`:                        "not a number",
		`zipmap(["a"], [])`:                   "zipmap",
		`join(",", 5)`:                        "expected a list of strings, not a number",
		`nodeset("a[")`:                       "never closed",
		`null + 1`:                            "null",
	} {
		_, ds := evaluate(expr)
		require.Contains(t, strings.Join(strings.Fields(ds), " "), want, expr)
	}
}

func TestTopics(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics {
		require.False(t, seen[topic.Code], topic.Code)
		seen[topic.Code] = true
		require.NotEmpty(t, topic.Summary)
	}
}

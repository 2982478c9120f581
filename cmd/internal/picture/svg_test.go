package picture

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/proof"
)

// Every scene is well-formed XML without scripts and without references to load, and is equal on every run. With -artifacts the pictures
// are kept for a person.
func TestScenes(t *testing.T) {
	out := t.ArtifactDir()
	for _, s := range scenes(t) {
		t.Run(s.name, func(t *testing.T) {
			svg := SVG(s.fabric, s.proofs)
			require.Equal(t, string(svg), string(SVG(s.fabric, s.proofs)))
			names := elements(t, svg)
			assert.Zero(t, names["script"])
			assert.Zero(t, names["image"])
			assert.Equal(t, 1, names["desc"])
			assert.NotContains(t, strings.ReplaceAll(string(svg), `xmlns="http://www.w3.org/2000/svg"`, ""), "http")
			assert.Less(t, len(svg), 400_000)
			if s.name == "ring-pfc-loop" || s.name == "clos-v2-ecn" {
				golden(t, s.name+".svg", svg)
			}
			html := HTML(s.fabric, s.proofs)
			require.Equal(t, string(html), string(HTML(s.fabric, s.proofs)))
			require.NoError(t, os.WriteFile(filepath.Join(out, s.name+".svg"), svg, 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(out, s.name+".html"), html, 0o644))
		})
	}
}

// elements counts the elements of a document, and fails if the document is not well-formed.
func elements(t *testing.T, doc []byte) map[string]int {
	t.Helper()
	names := map[string]int{}
	for dec := xml.NewDecoder(strings.NewReader(string(doc))); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			names[e.Name.Local]++
		}
	}
}

// The picture of a loop that needs failures has numbers in order, arrows to the right switches, crosses and counts.
func TestLoopInSVG(t *testing.T) {
	f := irtest.LeafSpine(ir.ShortestPath, 4, 2).Fabric()
	svg := string(SVG(f, prone(f, loop(t, f, "S0>L2 L2>S1 S1>L3 L3>S0", "L0-S1 L1-S0"))))
	golden(t, "failed.svg", []byte(svg))
	assert.Len(t, regexp.MustCompile(`class="failed" d="M[^"]* Q`).FindAllString(svg, -1), 2)
	assert.Len(t, regexp.MustCompile(`class="loop" d="M[^"]* Q`).FindAllString(svg, -1), 4)
	numbers := regexp.MustCompile(`class="number"[^>]*>(\w+)<`).FindAllStringSubmatch(svg, -1)
	require.Len(t, numbers, 5)
	for i := range 4 {
		assert.Equal(t, strconv.Itoa(i+1), numbers[i][1])
	}
	for _, want := range []string{
		"test: 6 switches, 4 hosts, 12 links", "prone to PFC loops with 2 links down",
		"1. S0:p2 → L2:p0, out by p1, into 2", "L0:p1 - S1:p0",
	} {
		assert.Contains(t, svg, want)
	}
}

// If a loop uses a cable in both directions, or parallel cables, its arrows are drawn apart.
func TestLoopBothWays(t *testing.T) {
	f := irtest.Ring(ir.Flooding, 3).Fabric()
	svg := string(SVG(f, prone(f, loop(t, f, "R0>R1 R1>R0", ""))))
	paths := regexp.MustCompile(`class="loop" d="M([-0-9.]+) ([-0-9.]+) Q[-0-9.]+ [-0-9.]+ ([-0-9.]+) ([-0-9.]+)"`).FindAllStringSubmatch(svg,
		-1)
	require.Len(t, paths, 2)
	var at [2][2]point
	for i, m := range paths {
		var v [4]float64
		for j := range v {
			v[j], _ = strconv.ParseFloat(m[j+1], 64)
		}
		at[i] = [2]point{{v[0], v[1]}, {v[2], v[3]}}
	}
	aside := at[0][0].towards(at[0][1]).right()
	for _, p := range at[1] {
		d := p.minus(at[0][0])
		assert.InDelta(t, -14, d.x*aside.x+d.y*aside.y, 0.5, "on the left of the first, 14 px apart")
	}
	discs := regexp.MustCompile(`class="disc" cx="([^"]*)" cy="([^"]*)" r="9.5"`).FindAllStringSubmatch(svg, -1)
	require.Len(t, discs, 2)
	assert.NotEqual(t, discs[0][1:], discs[1][1:])
}

func TestVerdictText(t *testing.T) {
	g := &ir.CosGroup{Name: "rdma", Cos: 3}
	for _, tc := range []struct {
		proof validate.Proof
		want  string
	}{
		{validate.Proof{Verdict: validate.Free, Certificate: proof.ByForest, Any: true}, "free of PFC loops, by the certificate forest, " +
			"whatever links are down"},
		{validate.Proof{Verdict: validate.Free, Certificate: proof.ByExact, Failures: 2}, "free of PFC loops, by following every path, with " +
			"up to 2 links down"},
		{validate.Proof{Verdict: validate.Free}, "free of PFC loops, with no link down"},
		{validate.Proof{Verdict: validate.Prone}, "prone to PFC loops"},
		{validate.Proof{Verdict: validate.Prone, Loops: []validate.Loop{{Down: []*ir.Link{nil}}}}, "prone to PFC loops with 1 link down"},
		{
			validate.Proof{Verdict: validate.Unknown, Reason: proof.OutOfBudget{}},
			"not known to be free of PFC loops: the budget for the PFC-loop check ran out before the healthy fabric was judged; a larger " +
				"--budget gives " +
				"it more",
		},
	} {
		assert.Equal(t, "rdma (priority 3): "+tc.want, verdictText(&validate.GroupProof{Group: g, Proof: &tc.proof}))
	}
}

// An empty fabric is an empty drawing, and one switch is one symbol.
func TestSmallest(t *testing.T) {
	for _, c := range []*irtest.Cabling{irtest.New(ir.UpDown), irtest.New(ir.UpDown).Hosts("R0")} {
		f := c.Fabric()
		for _, format := range Formats {
			assert.NotEmpty(t, format.Write(f, nil), format.Name)
		}
		elements(t, SVG(f, nil))
	}
}

// Names of devices, ports and fabrics never become markup.
func TestHostileNames(t *testing.T) {
	c := irtest.LeafSpine(ir.UpDown, 4, 2).Rename(func(s string) string { return s + `"><script>alert(1)</script>&<!--{{data}}` })
	f := c.Fabric()
	f.Name = `</title></script><img src=x onerror=alert(1)>`
	for _, p := range f.Ports {
		p.Name = "</script>\x00\xff\u2028" + p.Name
	}
	proofs := free(f)
	svg := SVG(f, proofs)
	assert.Zero(t, elements(t, svg)["script"])
	html := string(HTML(f, proofs))
	assert.Equal(t, 2, strings.Count(html, "<script"), "the data and the page's own script")
	assert.Equal(t, 2, strings.Count(html, "</script>"))
	assert.NotContains(t, html, "<img")
	assert.NotContains(t, html, "\u2028")
	assert.Equal(t, 1, strings.Count(html, `"devices":{`))
}

// Contrast by WCAG 2: texts have 4.5:1, and marks with a meaning 3:1, on their background, light and dark.
func TestContrast(t *testing.T) {
	light, dark, found := strings.Cut(svgStyle, "@media")
	require.True(t, found)
	for name, css := range map[string]string{"light": light, "dark": dark} {
		paper := colour(t, css, `\.paper[^{]*`, "fill")
		for _, tc := range []struct {
			mark, property, ground string
			least                  float64
		}{
			{`\.drawing text`, "fill", "", 4.5},
			{`\.drawing text`, "fill", `\.switch rect`, 4.5},
			{`\.drawing text`, "fill", `\.host rect`, 4.5},
			{`[^}]*\.drawing \.count`, "fill", `\.host rect`, 4.5},
			{`[^}]*\.drawing \.count`, "fill", `\.switch rect`, 4.5},
			{`\.drawing \.prone`, "fill", "", 4.5},
			{`\.drawing \.free`, "fill", "", 4.5},
			{`\.drawing \.tier[^{]*`, "fill", "", 4.5},
			{`\.drawing \.number`, "fill", `[^}\n]*\.disc`, 4.5},
			{`\.switch rect`, "stroke", "", 3},
			{`\.host rect`, "stroke", "", 3},
			{`\n *\.link`, "stroke", "", 3},
			{`\.faded \.link`, "stroke", "", 3},
			{`\n *\.failed`, "stroke", "", 3},
			{`\.cross`, "stroke", "", 4.5},
			{`\n *\.loop`, "stroke", "", 4.5},
		} {
			ground := paper
			if tc.ground != "" {
				ground = colour(t, css, tc.ground, "fill")
			}
			mark := colour(t, css, tc.mark, tc.property)
			assert.GreaterOrEqual(t, contrast(mark, ground), tc.least, "%s: %s on %s", name, tc.mark, tc.ground)
		}
	}
}

// The policy permits the browser to use only the page's own style and script, and to load nothing.
func TestPolicy(t *testing.T) {
	f := irtest.Ring(ir.ShortestPath, 4).Fabric()
	doc := string(HTML(f, nil))
	part := func(from, to string) string {
		_, rest, found := strings.Cut(doc, from)
		require.True(t, found)
		s, _, found := strings.Cut(rest, to)
		require.True(t, found)
		return s
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	assert.Equal(t, fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; "+
		"form-action 'none'",
		hash(part("<style>", "</style>")), hash(part("<script>", "</script>"))), part(`Content-Security-Policy" content="`, `"`))
	for _, never := range []string{"eval(", "innerHTML", "new Function", " onclick", " style=", "http://", "https://"} {
		assert.NotContains(t, strings.ReplaceAll(doc, "http://www.w3.org/2000/svg", ""), never)
	}
}

// The page around the drawing has enough contrast, too.
func TestPageContrast(t *testing.T) {
	light, dark, found := strings.Cut(pageStyle, "@media (prefers-color-scheme: dark)")
	require.True(t, found)
	for name, css := range map[string]string{"light": light, "dark": dark} {
		ground := colour(t, css, `body[^{}]*`, "background")
		for _, selector := range []string{`body[^{}]*`, `\.verdict-prone`, `\.verdict-free`, `th[^{}]*`, `[^}]*\.origin`} {
			assert.GreaterOrEqual(t, contrast(colour(t, css, selector, "color"), ground), 4.5, "%s: %s", name, selector)
		}
		mark := colour(t, css, `\.match rect`, "fill")
		text := colour(t, map[string]string{"light": svgStyle, "dark": svgStyle[strings.Index(svgStyle, "@media"):]}[name], `\.drawing text`,
			"fill")
		assert.GreaterOrEqual(t, contrast(text, mark), 4.5, "%s: labels of matches", name)
	}
}

// colour finds the first value of a property in the rules of a selector.
func colour(t *testing.T, css, selector, property string) [3]float64 {
	t.Helper()
	m := regexp.MustCompile(selector + ` \{(?:[^}]*[; ])?` + property + `: #([0-9a-f]{6})`).FindStringSubmatch(css)
	require.NotNil(t, m, "%s %s", selector, property)
	var rgb [3]float64
	for i := range rgb {
		v, err := strconv.ParseUint(m[1][2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		rgb[i] = float64(v) / 255
	}
	return rgb
}

func contrast(a, b [3]float64) float64 {
	luminance := func(rgb [3]float64) float64 {
		var l [3]float64
		for i, c := range rgb {
			if l[i] = c / 12.92; c > 0.04045 {
				l[i] = math.Pow((c+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

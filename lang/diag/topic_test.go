package diag

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var story = &Topic{Code: "x", Summary: "an x", Doc: `
It matters, for *every* <frame>:

    a    b

    c    d

  - one,
    and more
  - two

Example: two lines.

    fabric "x" {
      mtu = 1

      failures = 2
    }

And a file:

    {
      "to": "leaf1"
    }

Fix:

    $ rm x

# Or:

    pfc.roce.tx_enable = true
`}

func TestStory(t *testing.T) {
	why, example, fix := story.Story()
	require.True(t, strings.HasPrefix(why, "It matters") && strings.HasSuffix(why, "  - two"), why)
	require.True(t, strings.HasPrefix(example, " two lines.") && strings.HasSuffix(example, "    }"), example)
	require.True(t, strings.HasPrefix(fix, "    $ rm x") && strings.HasSuffix(fix, "= true"), fix)

	why, example, fix = (&Topic{Doc: "only this"}).Story()
	require.Equal(t, []string{"only this", "", ""}, []string{why, example, fix})
}

func TestHeadings(t *testing.T) {
	got := story.Headings(func(s string) string { return "[" + s + "]" })
	require.Contains(t, got, "\n[Example:] two lines.\n")
	require.Contains(t, got, "\n[Fix:]\n")
	require.Equal(t, strings.Trim(story.Doc, "\n"), strings.NewReplacer("[Example:]", "Example:", "[Fix:]", "Fix:").Replace(got))
}

func TestMarkdown(t *testing.T) {
	want := strings.ReplaceAll(`It matters, for \*every\* \<frame>:

'''text
a    b

c    d
'''

- one,
  and more
- two

**Example:** two lines.

'''hcl
fabric "x" {
  mtu = 1

  failures = 2
}
'''

And a file:

'''json
{
  "to": "leaf1"
}
'''

**Fix:**

'''console
$ rm x
'''

\# Or:

'''ini
pfc.roce.tx_enable = true
'''
`, "'''", "```")
	require.Equal(t, want, story.Markdown("hcl"))
}

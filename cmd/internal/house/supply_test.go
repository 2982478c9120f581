package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The page on security names the modules that the program imports.
func TestModulesOfTheProgram(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	modules := theModule(t).modules
	require.Greater(t, len(modules), 5)
	_, list, ok := strings.Cut(string(page), "## Supply chain")
	require.True(t, ok)
	for _, m := range modules {
		assert.Contains(t, list, "`"+m+"`", "docs/security.md lists the modules of the program")
	}
	for _, m := range regexp.MustCompile("`([a-z]+\\.[a-z]+/[^` ]+)`").FindAllStringSubmatch(list, -1) {
		assert.Contains(t, modules, m[1], "docs/security.md lists a module that is not in the program")
	}
}

// The workflows and the published action refer to actions by hash, since a tag can be moved.
func TestActionsArePinned(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	require.NoError(t, err)
	uses, pinned := regexp.MustCompile(`\buses: *([^ \n]+)`), regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	n := 0
	for _, f := range append(files, filepath.Join(root, "action.yml")) {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			n++
			assert.Regexp(t, pinned, m[1], f)
		}
	}
	assert.Greater(t, n, 3)
}

// A release has checksums of all its files, and the workflow signs them.
func TestReleaseIsSigned(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, ".github/workflows/release.yml"))
	require.NoError(t, err)
	_, step, ok := strings.Cut(string(text), "actions/attest-build-provenance@")
	require.True(t, ok)
	assert.Contains(t, step, "dist/SHA256SUMS")
}

// The page on security states that there is no offline key, as long as the repository has no public half. The secret half is never in the
// repository.
func TestOfflineKey(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(root, ".release/minisign.pub"))
	assert.Equal(t, os.IsNotExist(err), strings.Contains(string(page), "The repository has no public key yet"))
	const secret = "untrusted comment: minisign encrypted " + "secret key"
	names, err := filepath.Glob(filepath.Join(root, ".*/*"))
	require.NoError(t, err)
	above, err := filepath.Glob(filepath.Join(root, "*"))
	require.NoError(t, err)
	read := 0
	for _, name := range append(names, above...) {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		read++
		assert.NotContains(t, string(text), secret, name)
	}
	assert.Greater(t, read, 15)
}

// Files for CI pin the programs that they run: actions by the hash of a commit, rocec by a version that a person or rocec writes.
func TestCIIsPinned(t *testing.T) {
	uses := regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(\S+)(.*)$`)
	hash := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40}$`)
	floating := regexp.MustCompile(`@latest\b|:latest\b|rocec@(main|master|HEAD)\b|rocec/rocec/(main|master)/`)
	seen := 0
	check := func(name string) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range uses.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "rocec/rocec@COMMIT") {
				continue
			}
			seen++
			assert.Regexp(t, hash, m[1], name)
			assert.Regexp(t, `^ # v\d`, m[2], "%s: %s", name, m[1])
		}
		assert.NotRegexp(t, floating, string(data), name)
	}
	for _, pattern := range []string{
		"action.yml", "README.md", "docs/*.md", "docs/*/*.yml", ".github/workflows/*.yml", "cmd/internal/start/small/*.yml",
	} {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names, pattern)
		for _, name := range names {
			check(name)
		}
	}
	assert.Greater(t, seen, 8)
	var gitlab map[string]any
	data, err := os.ReadFile(filepath.Join(root, "docs/ci/gitlab.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &gitlab))
	assert.Equal(t, "", gitlab["variables"].(map[string]any)["ROCEC_VERSION"])
	assert.Contains(t, string(data), "@${ROCEC_VERSION:?")
}

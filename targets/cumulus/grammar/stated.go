package grammar

import "strings"

// Stated returns the release that /etc/os-release states; empty: it states no release of Cumulus Linux.
func Stated(data []byte) string {
	facts := map[string]string{}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		facts[key] = strings.Trim(value, `"'`)
	}
	if _, ok := ParseRelease(facts["VERSION_ID"]); !ok || facts["ID"] != "cumulus-linux" && facts["NAME"] != "Cumulus Linux" {
		return ""
	}
	return facts["VERSION_ID"]
}

package session

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// CommitOf returns the commit of the repository that contains a folder, with a "+" if files below the folder differ from the commit. It
// is empty without a commit or without git.
func CommitOf(dir string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain", "--", "."); err == nil && changed != "" {
		commit += "+"
	}
	return commit
}

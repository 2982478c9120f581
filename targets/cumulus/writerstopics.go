package cumulus

import "github.com/rocec/rocec/lang/diag"

// The codes about who else writes the traffic.conf of a switch.

var topicWriter = diag.Topic{
	Code:    "cumulus-other-writer",
	Summary: "something else writes the file, too",
}

var topicBeside = diag.Topic{
	Code:    "cumulus-other-settings",
	Summary: "settings of others are in force beside those of the fabric",
}

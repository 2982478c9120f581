# Says whether the revision before can still be gone back to.
was() {
	sum=$(tree "$1" | sha256sum)
	[ "${sum%% *}" = "$ROCEC_WAS" ]
}
since

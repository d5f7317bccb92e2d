# Runs a server for as long as it has users, and then removes what it has left.
# A user holds the pipe open; the kernel lets go of it for those that are killed.
# Arguments: the pipe, a directory of its own, the server's command.
users=$1
own=$2
shift 2

# Nothing is started for a launcher that ends before it has registered this process.
if ! read -r go; then
	rm -rf "$own"
	exit 1
fi

# Opened for both first, which never waits for the other side.
exec 8<>"$users"
exec 7<"$users" 8>&- 9>&- </dev/null

"$@" 7<&- &
server=$!
trap '' INT HUP TERM
echo "$server" >"$own/pid"

# Who finds its word here again can be sure that its hold on the pipe counts.
while read -r word <&7; do
	echo "$word" >>"$own/seen"
done

kill -9 "$server" 2>/dev/null
wait "$server"
rm -rf "$own"

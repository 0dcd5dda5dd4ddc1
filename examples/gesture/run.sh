#!/bin/sh
# From a log of samples to firmware, with a program for this computer in the place of the board.
# sh examples/gesture/run.sh [FOLDER]    writes to FOLDER (build/gesture)
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-build/gesture}
mkdir -p "$folder"
cd "$folder"

echo "1. log the sensor, and look at the log"
python "$here/record.py" > gesture.csv
python "$here/record.py" live > live.csv
dsgec inspect gesture.csv

echo "2. evolve a network on features of windows that fits the 2,048 bytes that the board has left"
# A little less is asked for, because the search goes by estimates, which are off by some per cent.
dsgec evolve gesture.csv --window 64 --step 32 --group recording --effort quick \
    --chip avr --flash 1800 --ram 256 --name gesture --out . --overwrite

echo "3. build the firmware and run it on a new recording"
${CC:-cc} -std=c99 -Os -DGESTURE_QUANTISE -I gesture-firmware "$here/main.c" gesture-firmware/gesture.c \
    gesture-firmware/gesture_selftest.c -o firmware
./firmware < live.csv > board.txt
cat board.txt

echo "4. compare it with the desk, window by window"
dsgec predict gesture live.csv | tail -n +2 | cut -d, -f3,4 > desk.txt
cmp board.txt desk.txt
echo "$(wc -l < board.txt) windows: the same gestures on the board and on the desk"

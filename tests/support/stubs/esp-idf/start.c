void app_main(void);
int main(void)
{
    app_main();
    return 1; /* it goes on for ever, unless the self-test failed */
}
